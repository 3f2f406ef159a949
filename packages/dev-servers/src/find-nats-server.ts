import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { messageOf, Problem } from './problem.ts';
import { CACHE_FOLDER, unpackOrRenew } from './unpacked-program.ts';

const FOLDER = join(CACHE_FOLDER, 'nats');

/**
 * Returns the path of nats-server: the one on the PATH, or the one in Debian's package, which is downloaded and
 * unpacked without privileges. Replaces an unpacked nats-server when Debian has a newer version.
 * @throws Problem that explains how to install nats-server, if the package can't be downloaded or unpacked.
 */
export async function findNatsServer(say: (line: string) => void = () => undefined): Promise<string> {
  // The Debian package installs nats-server in /usr/sbin, which is not on the PATH of ordinary users.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/bin', '/usr/sbin'];
  for (const folder of folders.filter((name) => name !== '')) {
    const candidate = join(folder, 'nats-server');
    if (await isExecutable(candidate)) return candidate;
  }
  const unpacked = join(FOLDER, 'usr', 'sbin', 'nats-server');
  if (!(await isExecutable(unpacked))) say("There is no nats-server on the PATH: unpacking Debian's package");
  try {
    await unpackOrRenew({ name: 'nats-server', folder: FOLDER, withLibraries: false, say });
    return unpacked;
  } catch (error) {
    throw new Problem(
      'No nats-server was found, and Debian’s package could not be fetched ' +
        `(${messageOf(error).trim().split('\n').at(-1)}).\n` +
        'Install it (Debian, Ubuntu: apt-get install nats-server; macOS: brew install nats-server; others: ' +
        'https://github.com/nats-io/nats-server/releases), or name a running one with TOCSIN_NATS_URL.',
    );
  }
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
