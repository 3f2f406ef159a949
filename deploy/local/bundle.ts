import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { messageOf, Problem } from '@tocsin/dev-servers/problem';
import type { Progress } from './progress.ts';

/** File of a bundle that exports runTogether(). */
export const BUNDLE_ENTRY = 'run-together.mjs';

/** Folders with the sources of the services. */
const SOURCE_FOLDERS = ['deploy/local', 'gateway', 'packages', 'proto', 'services'];

/** Number of bundles that are not removed, so that a running process can still load the rest of its bundle. */
const MAX_BUNDLES = 3;

export interface BundleOptions {
  readonly workspace: string;
  readonly progress: Progress;
  /** Aborts a build in progress. */
  readonly signal?: AbortSignal;
}

/**
 * Returns the folder of a bundle of the current sources, whose file `BUNDLE_ENTRY` exports runTogether(). Builds the
 * bundle if the sources have changed since it was built.
 * @throws Problem if the bundle can't be built.
 */
export async function bundleServices(options: BundleOptions): Promise<string> {
  const bundles = join(options.workspace, 'node_modules', '.cache', 'tocsin', 'bundles');
  for (;;) {
    const hash = hashOfSources(options.workspace);
    const folder = join(bundles, hash);
    if (existsSync(folder)) {
      const now = new Date();
      // Another user may own the folder. Its time only decides which bundles are removed.
      await utimes(folder, now, now).catch(() => undefined);
      return folder;
    }
    await options.progress.step('Bundle of the services', () => buildInto(folder, hash, options));
    await removeOldBundles(bundles);
  }
}

/** Builds the bundle, unless the sources change during the build. The folder appears when it is complete. */
async function buildInto(folder: string, hash: string, { workspace, signal }: BundleOptions): Promise<void> {
  const draft = `${folder}.${process.pid}`;
  try {
    await mkdir(draft, { recursive: true });
    await runBundler(workspace, draft, signal);
    if (hashOfSources(workspace) === hash) await rename(draft, folder);
  } catch (error) {
    // Another process may have built the same bundle in the meantime.
    if (existsSync(folder)) return;
    throw new Problem(
      `The services can't be bundled: ${messageOf(error)}\n\n` +
        'To start without a bundle, with a process for each service: npm start -- --separate',
      { cause: error },
    );
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Runs the bundler in a process of its own, because it needs 500 MB of memory. */
async function runBundler(workspace: string, folder: string, signal: AbortSignal | undefined): Promise<void> {
  const program = join(import.meta.dirname, 'bundle-program.ts');
  const args = ['--disable-warning=ExperimentalWarning', program, workspace, folder];
  // The allocator of the bundler needs twice the memory and processor time with huge pages.
  const env = { ...process.env, MIMALLOC_ALLOW_THP: '0' };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'], ...(signal && { signal }) });
  const [output, [code, killed]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (killed === 'SIGKILL') throw new Error('the bundler was killed; it needs 500 MB of memory');
  if (code !== 0) throw new Error(output.trim() || `the bundler ended (${killed ?? `exit code ${code}`})`);
}

/** Removes the bundles, and remains of builds, that were not used for the longest time. */
async function removeOldBundles(bundles: string): Promise<void> {
  const paths = (await readdir(bundles)).map((name) => join(bundles, name));
  // Another process may remove the same folders.
  const folders = paths.map((path) => ({ path, usedAt: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
  const old = folders.toSorted((a, b) => b.usedAt - a.usedAt).slice(MAX_BUNDLES);
  await Promise.all(old.map(({ path }) => rm(path, { recursive: true, force: true })));
}

/** Returns a hash of all that a bundle consists of. The lockfile stands for the installed packages. */
function hashOfSources(workspace: string): string {
  const hash = createHash('sha256');
  for (const file of ['pnpm-lock.yaml', ...sourcesOf(workspace)]) {
    const content = readFileSync(join(workspace, file));
    hash.update(`${file} ${content.length}\n`).update(content);
  }
  return hash.digest('hex').slice(0, 32);
}

/** Returns the paths of all sources that may be part of a bundle, relative to the workspace, without tests. */
export function sourcesOf(workspace: string): string[] {
  return SOURCE_FOLDERS.flatMap((folder) => filesBelow(workspace, folder));
}

function filesBelow(workspace: string, folder: string): string[] {
  const entries = readdirSync(join(workspace, folder), { withFileTypes: true });
  return entries
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return /^(node_modules|test)$/.test(entry.name) ? [] : filesBelow(workspace, path);
      return /\.(ts|json)$/.test(entry.name) && !entry.name.endsWith('.test.ts') ? [path] : [];
    });
}
