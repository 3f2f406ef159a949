import { chmod, glob, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exists } from '@tocsin/dev-servers/files';
import { findNatsServer } from '@tocsin/dev-servers/find-nats-server';
import { stopOrphan } from '@tocsin/dev-servers/orphans';
import { pickFreePort } from '@tocsin/dev-servers/ports';
import { startPostgres } from '@tocsin/dev-servers/postgres';
import { removePostgresHome } from '@tocsin/dev-servers/postgres-home';
import { Problem } from '@tocsin/dev-servers/problem';
import { lockDataFolder } from '@tocsin/local/data-folder';
import type { TestProject } from 'vitest/node';

const prefix = 'tocsin-test-';

/** Starts the servers that all test files share and provides their addresses. Returns a function that stops them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeLeftovers();
  const natsServer = await findNatsServer();
  const runFolder = await mkdtemp(join(tmpdir(), prefix));
  // PostgreSQL may run as another user, which needs access to the folder.
  await chmod(runFolder, 0o711);
  await lockDataFolder(runFolder);
  const postgres = await startPostgres({
    dataDir: join(runFolder, 'postgres'),
    port: await pickFreePort(),
    log: join(runFolder, 'logs', 'postgres.log'),
    durable: false,
  });
  project.provide('postgresUrl', postgres.url);
  project.provide('natsServer', natsServer);
  project.provide('runFolder', runFolder);
  return async () => {
    await postgres.stop();
    await removeRun(runFolder);
  };
}

/** Removes the folders of killed runs. A folder without a lock is skipped, because another run is creating it. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const folder = join(tmpdir(), name);
    if (!name.startsWith(prefix) || !(await exists(join(folder, 'lock.json')))) continue;
    try {
      await lockDataFolder(folder);
      await removeRun(folder);
    } catch (error) {
      // A Problem means that another run uses the folder or another user owns it, so the folder is skipped.
      if (!(error instanceof Problem)) throw error;
    }
  }
}

async function removeRun(folder: string): Promise<void> {
  for await (const pidFile of glob('{*,*/*}/process.json', { cwd: folder })) await stopOrphan(join(folder, pidFile));
  await removePostgresHome(join(folder, 'postgres'));
  await rm(folder, { recursive: true, force: true });
}
