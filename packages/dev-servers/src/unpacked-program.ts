import { chmod, mkdir, mkdtemp, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type AskApt, unpackPackages } from './debian-packages.ts';
import { messageOf } from './problem.ts';

/** Folder for the programs that this workspace has unpacked. */
export const CACHE_FOLDER = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'tocsin');

export interface ProgramPackages {
  /** Name of the program's package. */
  readonly name: string;
  /** Folder into which the program is unpacked. */
  readonly folder: string;
  /** Whether libraries that this machine lacks are unpacked as well. */
  readonly withLibraries: boolean;
  /** Adds files to the unpacked folder before it is used. */
  readonly finish?: (unpacked: string) => Promise<void>;
  /**
   * Called with a message if the search for a newer version or its download fails. The existing program is then used.
   */
  readonly say: (line: string) => void;
}

/** Days for which an unpacked program is used without a search for a newer version. */
export const FRESH_DAYS = 7;
const DAY_MS = 24 * 3_600_000;

/**
 * File that lists the archives of an unpacked program. Its modification time is the time of the latest search for newer
 * versions.
 */
const ARCHIVES = 'packages.txt';

/**
 * Unpacks a program from Debian or Ubuntu. Searches for a different version once a week, and replaces the program if
 * there is one. If this fails, the existing program is used, and the next attempt is made after a day.
 * @throws Error if there is no program and it can't be downloaded.
 */
export async function unpackOrRenew(options: ProgramPackages): Promise<void> {
  const { name, folder, say } = options;
  const age = await ageOf(folder);
  if (age !== undefined && age < FRESH_DAYS * DAY_MS) return;
  try {
    await replace(options);
  } catch (error) {
    if (age === undefined && !(await exists(folder))) throw error;
    await touch(join(folder, ARCHIVES), (FRESH_DAYS - 1) * DAY_MS).catch(() => undefined);
    say(`${name} was not looked for newer versions for over ${FRESH_DAYS} days, and that failed: ${messageOf(error)}`);
  }
}

/** Returns the milliseconds since the latest search for newer versions; undefined if there was none. */
async function ageOf(folder: string): Promise<number | undefined> {
  const found = await stat(join(folder, ARCHIVES)).catch(() => undefined);
  return found && Date.now() - found.mtimeMs;
}

async function replace({ name, folder, withLibraries, finish }: ProgramPackages): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  // A sibling of the folder, because a rename must stay on one file system.
  const work = await mkdtemp(`${folder}-`);
  try {
    let archives: string[] = [];
    const present = await readFile(join(folder, ARCHIVES), 'utf8').catch(() => '');
    const unpacked = await unpackPackages(work, {
      refresh: await exists(folder),
      async choose(ask) {
        archives = (await archivesOf(ask, name)).filter((archive) => withLibraries || archive.startsWith(`${name}_`));
        if (archives.length === 0) throw new Error(`apt-get knows no package ${name}`);
        return present === textOf(archives) ? [] : archives.map((archive) => archive.split('_', 1)[0] ?? '');
      },
    });
    if (!unpacked) return await touch(join(folder, ARCHIVES));
    await chmod(unpacked, 0o755);
    await finish?.(unpacked);
    await writeFile(join(unpacked, ARCHIVES), textOf(archives));
    const former = join(work, 'former');
    await rename(folder, former).catch(() => undefined);
    await rename(unpacked, folder).catch((error) => {
      // These two codes mean that another process has already created the folder, which is then used.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Returns the names of the archives that apt-get would download to install a package, such as
 * `chromium_156.0.8078.79-1_amd64.deb`.
 */
async function archivesOf(ask: AskApt, name: string): Promise<string[]> {
  const plan = await ask('install', '--print-uris', '-qq', '--no-install-recommends', name);
  return plan.split('\n').flatMap((line) => / (\S+_\S+\.deb) /.exec(line)?.[1] ?? []);
}

const textOf = (archives: readonly string[]) => archives.map((archive) => `${archive}\n`).join('');

/** Sets the modification time of a file to the given number of milliseconds ago. */
async function touch(path: string, agoMs = 0): Promise<void> {
  const time = new Date(Date.now() - agoMs);
  await utimes(path, time, time);
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
