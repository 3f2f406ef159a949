import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { Problem } from './problem.ts';

export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Returns the user that runs PostgreSQL, because PostgreSQL refuses to run as root; undefined if this process is not
 * root.
 */
export function unprivilegedUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const user = postgresUserIn(readFileSync('/etc/passwd', 'utf8'));
  if (user) return user;
  throw new Problem(
    'PostgreSQL does not run as root, and this machine has none of the users "postgres", "daemon" and "nobody" to run it as. ' +
      'Start Tocsin as an ordinary user, or name a database with TOCSIN_DATABASE_URL.',
  );
}

/**
 * Returns the first suitable account in a passwd file. `nobody` is the last choice, because the scripts of synthetic
 * checks run as `nobody` and must not own the database's files.
 */
export function postgresUserIn(passwd: string): SystemUser | undefined {
  const accounts = passwd.split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', '_postgres', 'daemon', 'nobody']) {
    const [, , uid, gid] = accounts.find(([account]) => account === name) ?? [];
    if (Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) };
  }
  return undefined;
}

/** Returns whether a user has a permission for a path: `-r`, `-w` or `-x`, as in test(1). */
export function may(user: SystemUser | undefined, right: '-r' | '-w' | '-x', path: string): boolean {
  return spawnSync('test', [right, path], { ...user, stdio: 'ignore' }).status === 0;
}

/**
 * Folder for the files of a user that can't access the workspace, for example because the workspace is in /root.
 */
export const sharedPlace = '/var/lib/tocsin';

/**
 * Creates `sharedPlace`, or a folder directly below it. The folder is readable by everyone, regardless of the umask.
 */
export async function makeSharedFolder(folder = sharedPlace): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(sharedPlace, 0o755);
  await chmod(folder, 0o755);
}
