import { access, constants, readdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { messageOf, Problem } from './problem.ts';
import { CACHE_FOLDER, unpackOrRenew } from './unpacked-program.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

const FOLDER = join(CACHE_FOLDER, 'chromium');
const UNPACKED = join(FOLDER, 'chromium');

/**
 * Returns the path of Chromium: TOCSIN_CHROMIUM, the one on the PATH, or an already unpacked one; undefined if there is
 * none.
 */
export async function findChromium(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return (await findInstalled(env)) ?? ((await isExecutable(UNPACKED)) ? UNPACKED : undefined);
}

/**
 * Returns the path of Chromium. If there is none, unpacks Debian's package and the libraries that this machine lacks,
 * without privileges. Replaces an unpacked Chromium when Debian has a newer version.
 * @throws Problem that explains how to install Chromium, if this fails.
 */
export async function installChromium(
  env: NodeJS.ProcessEnv,
  say: (line: string) => void = () => undefined,
): Promise<string> {
  const installed = await findInstalled(env);
  if (installed !== undefined) return installed;
  try {
    await unpackOrRenew({ name: 'chromium', folder: FOLDER, withLibraries: true, finish: addLauncher, say });
    return UNPACKED;
  } catch (error) {
    throw new Problem(
      'No Chromium was found, and Debian’s packages could not be fetched ' +
        `(${messageOf(error).trim().split('\n').at(-1)}).\n` +
        'Install it (Debian: apt-get install chromium; macOS: brew install --cask chromium), or name one with TOCSIN_CHROMIUM.',
    );
  }
}

/** Returns the Chromium that the environment names, or the one on the PATH. */
async function findInstalled(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (env.TOCSIN_CHROMIUM) return env.TOCSIN_CHROMIUM;
  const folders = (env.PATH ?? '').split(delimiter).filter((name) => name !== '');
  const candidates = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  for (const candidate of candidates) if (await isExecutable(candidate)) return candidate;
  return undefined;
}

/** Writes a launcher that adds the unpacked libraries to the search path. */
async function addLauncher(unpacked: string): Promise<void> {
  const [triple = ''] = await readdir(join(unpacked, 'usr', 'lib')).then((names) =>
    names.filter((name) => name.endsWith('-linux-gnu')),
  );
  const libraries = `$HERE/usr/lib/${triple}`;
  const launcher = `#!/bin/sh
HERE=$(dirname "$(readlink -f "$0")")
export LD_LIBRARY_PATH="${libraries}:${libraries}/pulseaudio"
exec "$HERE/usr/lib/chromium/chromium" "$@"
`;
  await writeFile(join(unpacked, 'chromium'), launcher, { mode: 0o755 });
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
