import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readJson } from '@tocsin/dev-servers/files';
import { codeOf, messageOf, Problem } from '@tocsin/dev-servers/problem';
import { identityOf, isRunning, parseIdentity } from '@tocsin/dev-servers/process-identity';

/** Returns the data folder of an installation: `TOCSIN_DATA_DIR`, or `.data` in the workspace. */
export function dataFolderOf(env: NodeJS.ProcessEnv, workspace: string): string {
  return join(...(env.TOCSIN_DATA_DIR?.startsWith('/') ? [] : [workspace]), env.TOCSIN_DATA_DIR || '.data');
}

/**
 * Creates the data folder if it is missing, and locks it. Disposing the result releases the lock. The lock of a killed
 * process is ignored.
 * @throws Problem if another process has locked the folder.
 */
export async function lockDataFolder(dataDir: string): Promise<AsyncDisposable> {
  const lock = join(dataDir, 'lock.json');
  const draft = `${lock}.${process.pid}`;
  try {
    await mkdir(join(dataDir, 'logs'), { recursive: true });
    await mkdir(join(dataDir, 'run'), { recursive: true });
    await writeFile(draft, JSON.stringify(identityOf(process.pid)));
  } catch (error) {
    throw new Problem(explain(error, dataDir));
  }
  try {
    while (!(await tryToTake(draft, lock))) {
      const holder = parseIdentity(await readJson(lock));
      if (holder !== undefined && isRunning(holder)) {
        throw new Problem(
          `Tocsin already runs on the data in ${dataDir} (process ${holder.pid}). ` +
            'For a second one beside it, set TOCSIN_DATA_DIR and TOCSIN_PORT.',
        );
      }
      await rm(lock, { force: true });
    }
  } finally {
    await rm(draft, { force: true });
  }
  return { [Symbol.asyncDispose]: () => rm(lock, { force: true }) };
}

/** Tries to create the lock as a hard link to the draft file, so that the lock never exists without its content. */
async function tryToTake(draft: string, lock: string): Promise<boolean> {
  try {
    await link(draft, lock);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function explain(error: unknown, dataDir: string): string {
  switch (codeOf(error)) {
    case 'ENOSPC':
      return `The disk of ${dataDir} is full: Tocsin can't keep its data there.`;
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `This user may not write in ${dataDir}: change that, or set TOCSIN_DATA_DIR to another folder.`;
    default:
      return `The data folder ${dataDir} can't be used: ${messageOf(error)}`;
  }
}
