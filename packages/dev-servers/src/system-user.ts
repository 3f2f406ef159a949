import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { Problem } from './problem.ts';

export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** Returns the user for PostgreSQL, which refuses to run as root; undefined if this process is not root. */
export function unprivilegedUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const fields = accounts.find((line) => line.startsWith(`${name}:`))?.split(':');
    const uid = Number(fields?.[2]);
    if (uid > 0) return { uid, gid: Number(fields?.[3]) };
  }
  throw new Problem(
    'PostgreSQL does not run as root, and this machine has neither a user "postgres" nor "nobody" to run it as. ' +
      'Start Tocsin as an ordinary user, or name a database with TOCSIN_DATABASE_URL.',
  );
}

/** Returns whether a user can reach a path and has a permission there: `-r`, `-w` or `-x`, as in test(1). */
export function may(user: SystemUser | undefined, right: '-r' | '-w' | '-x', path: string): boolean {
  return spawnSync('test', [right, path], { ...user, stdio: 'ignore' }).status === 0;
}

/** Folder for files of other users, for workspaces of root that they can't access, such as in /root. */
export const sharedPlace = '/var/lib/tocsin';

/**
 * Creates `sharedPlace`, or a folder directly below it. The folder is readable by everyone, regardless of the umask.
 */
export async function makeSharedFolder(folder = sharedPlace): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(sharedPlace, 0o755);
  await chmod(folder, 0o755);
}
