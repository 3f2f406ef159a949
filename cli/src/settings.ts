import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CliError, EXIT } from './errors.ts';
import { get, isObject, textOf } from './json.ts';

/** Stored credential of an installation. */
export type Credential =
  | { readonly kind: 'api_key'; readonly apiKey: string }
  | {
      readonly kind: 'oauth';
      readonly accessToken: string;
      readonly refreshToken: string;
      /** Milliseconds since 1970 at which the access token expires. */
      readonly expiresAt: number;
    };

/** Content of the settings file. */
export interface Settings {
  /** URL of the installation that commands use by default; empty if the user is not signed in. */
  readonly current: string;
  /** Credentials by the URL of the installation. */
  readonly credentials: Readonly<Record<string, Credential>>;
}

/** A lock older than this was left behind by a process that has ended. */
const STALE_LOCK_MS = 60_000;
const LOCK_POLL_MS = 100;

/** Returns the folder of the files that the client stores, such as the settings. */
export function settingsFolder(env: NodeJS.ProcessEnv): string {
  if (env.TOCSIN_CONFIG_DIR) return env.TOCSIN_CONFIG_DIR;
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'tocsin');
}

/** Reads the settings. Returns empty settings if the file does not exist. */
export async function readSettings(env: NodeJS.ProcessEnv): Promise<Settings> {
  const content = await readJsonFile(settingsFile(env));
  const credentials = get(content, 'credentials');
  return {
    current: textOf(get(content, 'current')),
    credentials: Object.fromEntries(
      Object.entries(isObject(credentials) ? credentials : {}).flatMap(([url, stored]) => {
        const credential = credentialOf(stored);
        return credential ? [[url, credential]] : [];
      }),
    ),
  };
}

/**
 * Changes the settings. `change` gets the stored settings and returns the new ones. Only one process at a time runs
 * `change`.
 */
export async function changeSettings(
  env: NodeJS.ProcessEnv,
  change: (settings: Settings) => Promise<Settings> | Settings,
): Promise<Settings> {
  const file = settingsFile(env);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const release = await lock(`${file}.lock`);
  try {
    const before = await readSettings(env);
    const after = await change(before);
    if (after !== before) await writeJsonFile(file, after);
    return after;
  } finally {
    await release();
  }
}

/** Reads a JSON file. Returns undefined if it does not exist. */
export async function readJsonFile(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (get(error, 'code') === 'ENOENT') return undefined;
    throw new CliError(EXIT.usage, `${file} can't be read: ${String(get(error, 'code'))}.`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new CliError(EXIT.usage, `${file} is not valid JSON. Repair or delete it.`);
  }
}

/** Writes a JSON file that only the user can read. An existing file is replaced atomically. */
export async function writeJsonFile(file: string, content: object): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, file);
}

function settingsFile(env: NodeJS.ProcessEnv): string {
  return join(settingsFolder(env), 'config.json');
}

function credentialOf(stored: unknown): Credential | undefined {
  const kind = get(stored, 'kind');
  if (kind === 'api_key') return { kind, apiKey: textOf(get(stored, 'apiKey')) };
  if (kind !== 'oauth') return undefined;
  return {
    kind,
    accessToken: textOf(get(stored, 'accessToken')),
    refreshToken: textOf(get(stored, 'refreshToken')),
    expiresAt: Number(get(stored, 'expiresAt')),
  };
}

/** Creates a lock file and returns a function that removes it. Waits while another process has the lock. */
async function lock(file: string): Promise<() => Promise<void>> {
  for (;;) {
    try {
      await (await open(file, 'wx', 0o600)).close();
      return () => rm(file, { force: true });
    } catch (error) {
      if (get(error, 'code') !== 'EEXIST') throw error;
    }
    const age = await stat(file).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > STALE_LOCK_MS) await rm(file, { force: true });
    else await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS));
  }
}
