import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** Sets a separate folder for the runs of this test file, so that leftOver() finds only the processes of these runs. */
export function ownRunsFolder(): void {
  process.env.TMPDIR = mkdtempSync(join(inject('runFolder'), 'runs-'));
  // Like /tmp, the folder is writable by all users, because runs may belong to another user.
  chmodSync(process.env.TMPDIR, 0o1777);
}

/** Returns the folders of runs that still exist, and the processes whose working directory is in one of them. */
export function leftOver(): string[] {
  const folder = process.env.TMPDIR ?? '';
  return [...processesOfRuns().map(({ command }) => command), ...readdirSync(folder)];
}

export function processesOfRuns(): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => read(() => readlinkSync(`/proc/${pid}/cwd`)).startsWith(`${process.env.TMPDIR}/`))
    .map((pid) => ({ pid: Number(pid), command: read(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) }));
}

function read(look: () => string): string {
  try {
    return look();
  } catch {
    return '';
  }
}
