import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process that can't be mistaken for a later one that got the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in a unit of the operating system; only good for comparison. */
  readonly began: string;
}

/** Returns the process that has this id now; undefined when there is none, or only a zombie. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const began = process.platform === 'linux' ? beganOnLinux(pid) : beganElsewhere(pid);
  return began === undefined ? undefined : { pid, began };
}

export function isRunning(process: ProcessIdentity): boolean {
  return identityOf(process.pid)?.began === process.began;
}

/** Reads an identity that was written as JSON. */
export function parseIdentity(value: unknown): ProcessIdentity | undefined {
  if (typeof value !== 'object' || value === null || !('pid' in value) || !('began' in value)) return undefined;
  const { pid, began } = value;
  return typeof pid === 'number' && typeof began === 'string' ? { pid, began } : undefined;
}

/**
 * proc(5): state is the first field after the command's name in brackets, start time (in ticks since boot) the 20th.
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
