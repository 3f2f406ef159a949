import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { Problem } from './problem.ts';

export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** Returns the user to run PostgreSQL as, which refuses to run as root; undefined when this process is not root. */
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

/** Whether a user gets through to these paths, and may do there what `test` calls `-r`, `-w` or `-x`. */
export function may(user: SystemUser | undefined, right: '-r' | '-w' | '-x', path: string): boolean {
  return spawnSync('test', [right, path], { ...user, stdio: 'ignore' }).status === 0;
}

/** Where root puts what another user has to reach when the workspace itself is closed to others, as /root is. */
export const sharedPlace = '/var/lib/tocsin';

/** Creates `sharedPlace`, or a folder directly below it, readable by everyone regardless of the umask. */
export async function makeSharedFolder(folder = sharedPlace): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(sharedPlace, 0o755);
  await chmod(folder, 0o755);
}
