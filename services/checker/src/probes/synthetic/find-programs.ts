import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Returns the path of the configured Chromium, or of the first Chromium on the PATH; undefined if there is none. */
export function findChromium(named: string): string | undefined {
  if (named) return isExecutable(named) ? named : undefined;
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', '/snap/bin'];
  const candidates = folders.filter(Boolean).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return candidates.find(isExecutable);
}

/** Returns the path of the Deno executable in the npm package. */
export function findDeno(): string {
  const own = createRequire(import.meta.url);
  const ofDeno = createRequire(own.resolve('deno/package.json'));
  const platform = process.platform === 'linux' ? `linux-${process.arch}-glibc` : `${process.platform}-${process.arch}`;
  return join(dirname(ofDeno.resolve(`@deno/${platform}/package.json`)), 'deno');
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
