import { access, chmod, constants, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type AskApt, unpackPackages } from './debian-packages.ts';
import { messageOf, Problem } from './problem.ts';

const cacheFolder = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'tocsin');
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * Returns the path of Chromium: TOCSIN_CHROMIUM, or the one on the PATH, or one that was unpacked before; undefined if
 * there is none.
 */
export async function findChromium(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (env.TOCSIN_CHROMIUM) return env.TOCSIN_CHROMIUM;
  const folders = (env.PATH ?? '').split(delimiter).filter((name) => name !== '');
  const candidates = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  for (const candidate of [...candidates, unpackedProgram()]) {
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

/**
 * Finds a Chromium, or unpacks Debian's packages of it with the libraries that this machine lacks, which takes no
 * rights.
 *
 * @throws Problem with the way to install it, where that does not work.
 */
export async function installChromium(env: NodeJS.ProcessEnv): Promise<string> {
  const found = await findChromium(env);
  if (found !== undefined) return found;
  try {
    return await unpack();
  } catch (error) {
    throw new Problem(
      'No Chromium was found, and Debian’s packages could not be fetched ' +
        `(${messageOf(error).trim().split('\n').at(-1)}).\n` +
        'Install it (Debian: apt-get install chromium; macOS: brew install --cask chromium), or name one with TOCSIN_CHROMIUM.',
    );
  }
}

function unpackedProgram(): string {
  return join(cacheFolder, 'chromium', 'chromium');
}

async function unpack(): Promise<string> {
  await mkdir(cacheFolder, { recursive: true });
  // In the cache folder, because a rename has to stay on one file system.
  const work = await mkdtemp(join(cacheFolder, 'chromium-'));
  try {
    const unpacked = await unpackPackages(work, missingPackages);
    await chmod(unpacked, 0o755);
    await writeFile(join(unpacked, 'chromium'), await launcher(unpacked), { mode: 0o755 });
    await rename(unpacked, join(cacheFolder, 'chromium')).catch((error) => {
      // Another process was faster.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
    return unpackedProgram();
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Returns the packages of Chromium and of the libraries that are not installed. */
async function missingPackages(ask: AskApt): Promise<string[]> {
  const plan = await ask('install', '--print-uris', '-qq', '--no-install-recommends', 'chromium');
  return plan
    .split('\n')
    .map((line) => / (\S+?)_\S+\.deb /.exec(line)?.[1])
    .filter((name) => name !== undefined);
}

/** Writes a launcher that adds the unpacked libraries to the search path. */
async function launcher(unpacked: string): Promise<string> {
  const [triple = ''] = await readdir(join(unpacked, 'usr', 'lib')).then((names) =>
    names.filter((name) => name.endsWith('-linux-gnu')),
  );
  const libraries = `$HERE/usr/lib/${triple}`;
  return `#!/bin/sh
HERE=$(dirname "$(readlink -f "$0")")
export LD_LIBRARY_PATH="${libraries}:${libraries}/pulseaudio"
exec "$HERE/usr/lib/chromium/chromium" "$@"
`;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
