import { access, chmod, constants, copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { unpackPackages } from './debian-packages.ts';
import { messageOf, Problem } from './problem.ts';

const cacheFolder = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'tocsin');

/**
 * The path of a nats-server: the one on the PATH; else the one that was unpacked before; else Debian's package,
 * downloaded and unpacked without being installed, which needs no privileges.
 *
 * @throws Problem with the way to install it, where none of these works.
 */
export async function findNatsServer(say: (line: string) => void = () => undefined): Promise<string> {
  // Debian puts it into /usr/sbin, which is not on an ordinary user's PATH.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/bin', '/usr/sbin', cacheFolder];
  for (const folder of folders.filter((name) => name !== '')) {
    const candidate = join(folder, 'nats-server');
    if (await isExecutable(candidate)) return candidate;
  }
  say("There is no nats-server on the PATH: unpacking Debian's package");
  try {
    return await unpackDebianPackage();
  } catch (error) {
    throw new Problem(
      'No nats-server was found, and Debian’s package could not be fetched ' +
        `(${messageOf(error).trim().split('\n').at(-1)}).\n` +
        'Install it (Debian, Ubuntu: apt-get install nats-server; macOS: brew install nats-server; others: ' +
        'https://github.com/nats-io/nats-server/releases), or name a running one with TOCSIN_NATS_URL.',
    );
  }
}

async function unpackDebianPackage(): Promise<string> {
  const work = await mkdtemp(join(tmpdir(), 'tocsin-nats-'));
  try {
    const unpacked = await unpackPackages(work, () => ['nats-server']);
    return await keep(join(unpacked, 'usr', 'sbin', 'nats-server'));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Moves the binary into place by rename, so that concurrent installations don't interfere. */
async function keep(binary: string): Promise<string> {
  await mkdir(cacheFolder, { recursive: true });
  const target = join(cacheFolder, 'nats-server');
  const draft = `${target}.${process.pid}`;
  await copyFile(binary, draft);
  await chmod(draft, 0o755);
  await rename(draft, target);
  return target;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
