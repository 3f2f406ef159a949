import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

// If started by root, apt downloads as the user `_apt` by default, and would warn that this user can't write into the
// folder. With this option, apt downloads as root.
const aptOptions = ['-q', '-o', 'APT::Sandbox::User=root'];

/** Runs a query of apt-get and returns its output. */
export type AskApt = (...args: string[]) => Promise<string>;

/**
 * Downloads Debian or Ubuntu packages and unpacks them into a folder. Does not install the packages, and needs no
 * privileges. Returns the folder; undefined if `choose` returns no packages.
 * @param refresh Whether to download package lists first, even if the machine's own lists work.
 */
export async function unpackPackages(
  work: string,
  { refresh, choose }: { refresh: boolean; choose: (ask: AskApt) => Promise<readonly string[]> },
): Promise<string | undefined> {
  const download = async (options: readonly string[]) => {
    const names = await choose(async (...args) => (await run('apt-get', [...aptOptions, ...options, ...args])).stdout);
    if (names.length > 0) await run('apt-get', [...aptOptions, ...options, 'download', ...names], { cwd: work });
    return names.length;
  };
  const refreshed = async () => download(await ownLists(work));
  const count = refresh ? await refreshed() : await download([]).catch(refreshed);
  if (count === 0) return undefined;
  const archives = (await readdir(work)).filter((name) => name.endsWith('.deb'));
  if (archives.length === 0) throw new Error('apt-get download left no file');
  const unpacked = join(work, 'unpacked');
  for (const archive of archives) await run('dpkg-deb', ['-x', join(work, archive), unpacked]);
  return unpacked;
}

/** Downloads package lists into a private folder, for systems whose own lists are missing or outdated. */
async function ownLists(work: string): Promise<string[]> {
  const state = join(work, 'state');
  const cache = join(work, 'cache');
  await mkdir(join(state, 'lists', 'partial'), { recursive: true });
  await mkdir(join(cache, 'archives', 'partial'), { recursive: true });
  const places = [`Dir::State=${state}`, `Dir::State::lists=${join(state, 'lists')}`, `Dir::Cache=${cache}`];
  const options = places.flatMap((place) => ['-o', place]);
  await run('apt-get', [...aptOptions, ...options, 'update']);
  return options;
}
