import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exists, readIfThere, readJson, writeJson } from './files.ts';
import { reachableBinaries } from './postgres-binaries.ts';
import { codeOf, Problem } from './problem.ts';
import { makeSharedFolder, may, type SystemUser, sharedPlace, unprivilegedUser } from './system-user.ts';

/** Location, user and password of a PostgreSQL cluster. */
export interface PostgresHome {
  /** Folder that contains `bin/postgres`. */
  readonly binaries: string;
  readonly cluster: string;
  readonly password: string;
  /** User that runs the server; undefined for the user of this process. */
  readonly user: SystemUser | undefined;
}

/**
 * Finds or creates the cluster of a data folder. `settings.json` in the data folder contains the path of the cluster
 * and the superuser's password. This file is written first. The cluster is then created in a temporary folder and
 * renamed, so that a crash leaves no incomplete cluster.
 */
export async function openPostgresHome(dataDir: string, durable: boolean): Promise<PostgresHome> {
  const user = unprivilegedUser();
  await mkdir(dataDir, { recursive: true, mode: 0o755 });
  const binaries = await reachableBinaries(user);
  const { cluster, password } = await settingsOf(dataDir, user);
  if (!(await exists(join(cluster, 'PG_VERSION')))) await createCluster({ binaries, cluster, password, user }, durable);
  await checkVersion(binaries, cluster);
  return { binaries, cluster, password, user: await ownerOf(cluster, user) };
}

/** Deletes a data folder and its cluster. No server may be running on it. */
export async function removePostgresHome(dataDir: string): Promise<void> {
  const cluster = (await readJson(join(dataDir, 'settings.json')))?.cluster;
  if (typeof cluster === 'string' && cluster.startsWith(`${sharedPlace}/`)) {
    await rm(dirname(cluster), { recursive: true, force: true });
  }
  await rm(dataDir, { recursive: true, force: true });
}

async function settingsOf(dataDir: string, user: SystemUser | undefined) {
  const file = join(dataDir, 'settings.json');
  const known = await readJson(file);
  if (typeof known?.cluster === 'string' && typeof known.password === 'string') {
    // The path is relative if the cluster is inside the data folder, so that the data folder can be moved.
    return { cluster: join(known.cluster.startsWith('/') ? '' : dataDir, known.cluster), password: known.password };
  }
  if (await exists(join(dataDir, 'cluster'))) {
    throw new Problem(`${file} is missing: without it the database in ${dataDir} can't be opened. Restore it.`);
  }
  const settings = { cluster: await placeFor(dataDir, user), password: randomBytes(24).toString('base64url') };
  await writeJson(file, settings, 0o600);
  return { ...settings, cluster: join(settings.cluster.startsWith('/') ? '' : dataDir, settings.cluster) };
}

/**
 * Returns `cluster` in the data folder or, if the server's user can't access it, a folder in `sharedPlace` with a
 * random name. The name is random so that the cluster of an earlier data folder with the same name is not reused.
 */
async function placeFor(dataDir: string, user: SystemUser | undefined): Promise<string> {
  if (user === undefined || may(user, '-x', dataDir)) return 'cluster';
  const place = join(sharedPlace, randomBytes(8).toString('hex'));
  await makeSharedFolder(place);
  return join(place, 'cluster');
}

async function createCluster(home: PostgresHome, durable: boolean): Promise<void> {
  const { binaries, cluster, password, user } = home;
  const draft = `${cluster}.new`;
  const passwordFile = `${cluster}.password`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true, mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user !== undefined) {
    await chown(draft, user.uid, user.gid);
    await chown(passwordFile, user.uid, user.gid);
  }
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const haste = durable ? [] : ['--no-sync'];
  const { status, stderr, error } = spawnSync(
    join(binaries, 'bin', 'initdb'),
    ['-D', draft, ...locale, ...access, ...haste, '--no-instructions'],
    { ...user, cwd: draft, env: { LC_ALL: 'C', TZ: 'UTC', PATH: process.env.PATH }, encoding: 'utf8' },
  );
  await rm(passwordFile, { force: true });
  if (status !== 0) {
    const output = error?.message ?? stderr;
    if (/No space left/.test(output))
      throw new Problem(`The database could not be made: the disk of ${draft} is full.`);
    throw new Problem(`The database could not be made in ${draft}:\n\n${output.trim()}`);
  }
  await rename(draft, cluster);
}

async function checkVersion(binaries: string, cluster: string): Promise<void> {
  const version = await readIfThere(join(cluster, 'PG_VERSION')).catch((error) => {
    if (codeOf(error) !== 'EACCES') throw error;
    throw new Problem(`${cluster} belongs to another user: start Tocsin as that user, or set TOCSIN_DATA_DIR.`);
  });
  const { stdout } = spawnSync(join(binaries, 'bin', 'postgres'), ['--version'], { encoding: 'utf8' });
  const ours = /\) (\d+)/.exec(stdout)?.[1];
  if (version?.trim() === ours) return;
  throw new Problem(
    `${cluster} was made by PostgreSQL ${version?.trim()}, and this version of Tocsin brings PostgreSQL ${ours}. ` +
      'Start it with the version of Tocsin that made it and move the data with pg_dump, or set TOCSIN_DATA_DIR to a new folder.',
  );
}

/** Returns the user that runs the cluster: the user that created it, even if root starts it now. */
async function ownerOf(cluster: string, user: SystemUser | undefined): Promise<SystemUser | undefined> {
  const { uid, gid } = await stat(cluster);
  if (user !== undefined) return { uid, gid };
  if (uid === process.getuid?.()) return undefined;
  throw new Problem(`${cluster} belongs to user ${uid}: start Tocsin as that user, or set TOCSIN_DATA_DIR.`);
}
