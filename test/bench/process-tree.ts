import { readdirSync, readFileSync } from 'node:fs';
import { codeOf } from '@tocsin/dev-servers/problem';

/** Length in seconds of a tick, the unit of processor times in /proc. It is the same on all Linux platforms. */
const TICK_SECONDS = 1 / 100;

/**
 * Returns the descendants of a process. Leaves out the processes in `except` and their descendants.
 */
export function descendantsOf(root: number, except: readonly number[] = []): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const fields = /^\d+$/.test(name) ? statOf(Number(name)) : undefined;
    if (fields) parents.set(Number(name), Number(fields[1]));
  }
  const found: number[] = [];
  const visit = (parent: number) => {
    for (const [pid, ppid] of parents) {
      if (ppid !== parent || except.includes(pid)) continue;
      found.push(pid);
      visit(pid);
    }
  };
  visit(root);
  return found;
}

/** Returns the processor time of processes in seconds, including that of children that have ended. */
export function cpuSecondsOf(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    // The fields are utime, stime, cutime and cstime.
    const times = statOf(pid)?.slice(11, 15) ?? [];
    return times.reduce((sum, time) => sum + Number(time), 0);
  });
  return ticks.reduce((sum, time) => sum + time, 0) * TICK_SECONDS;
}

/** Returns the name of a process's program, such as `node`; empty for a process that has ended. */
export function programOf(pid: number): string {
  return (readProc(pid, 'cmdline') ?? '').replace(/[\s:\0].*$/s, '').replace(/^.*\//, '');
}

/** Returns the memory of processes in MiB. A page that several processes share is divided among them (PSS). */
export function memoryMibOf(pids: readonly number[]): number {
  const sizes = pids.map((pid) => Number(/^Pss:\s+(\d+) kB/m.exec(readProc(pid, 'smaps_rollup') ?? '')?.[1] ?? 0));
  return sizes.reduce((sum, size) => sum + size, 0) / 1024;
}

/** Returns the fields of /proc/PID/stat after the program name; undefined for a process that has ended. */
function statOf(pid: number): string[] | undefined {
  // The name is in parentheses and may contain spaces and parentheses.
  return readProc(pid, 'stat')
    ?.replace(/^.*\) /s, '')
    .split(' ');
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ESRCH') return undefined;
    throw error;
  }
}
