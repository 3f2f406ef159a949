import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface LeastUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Returns the user for browser checks, which is `nobody`. Returns undefined if this process is not root, or if `nobody`
 * has no access to the programs.
 */
export function leastUser(programs: readonly string[]): LeastUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const account = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith('nobody:'));
  const [, , uid, gid] = account?.split(':') ?? [];
  const user = { uid: Number(uid), gid: Number(gid) };
  if (!(user.uid > 0)) return undefined;
  const mayUse = (path: string) => spawnSync('test', ['-r', path], { ...user, stdio: 'ignore', cwd: '/' }).status === 0;
  return programs.every(mayUse) ? user : undefined;
}
