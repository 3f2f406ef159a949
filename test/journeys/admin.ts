import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of `npm run admin` on the installation in a data folder. */
export function admin(dataDir: string, ...args: string[]): Promise<Ended> {
  return adminWith({ TOCSIN_DATA_DIR: dataDir }, ...args);
}

/** Runs an operator command that gets its configuration from environment variables, as in a container. */
export async function adminWith(env: Readonly<Record<string, string>>, ...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../deploy/local/admin.ts'), ...args], {
    // Like the image and `npm run admin`, Node loads the compiled sources that it has stored.
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}
