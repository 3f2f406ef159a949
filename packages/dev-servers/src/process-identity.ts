import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Identifies a process even after its pid has been reused. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in a system-specific unit, only for comparison. */
  readonly began: string;
}

/** Returns the identity of the process with a pid; undefined if there is no such process or it is a zombie. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const began = process.platform === 'linux' ? beganOnLinux(pid) : beganElsewhere(pid);
  return began === undefined ? undefined : { pid, began };
}

export function isRunning(process: ProcessIdentity): boolean {
  return identityOf(process.pid)?.began === process.began;
}

/** Parses an identity from JSON. */
export function parseIdentity(value: unknown): ProcessIdentity | undefined {
  if (typeof value !== 'object' || value === null || !('pid' in value) || !('began' in value)) return undefined;
  const { pid, began } = value;
  return typeof pid === 'number' && typeof began === 'string' ? { pid, began } : undefined;
}

/**
 * Reads the start time from /proc/<pid>/stat (proc(5)). It is the 20th field after the command's name in parentheses,
 * in ticks since boot.
 */
function beganOnLinux(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : `${boot}/${fields[19]}`;
  } catch {
    return undefined;
  }
}

function beganElsewhere(pid: number): string | undefined {
  const response = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return response.status === 0 ? response.stdout.trim() || undefined : undefined;
}
