import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { pickFreePort } from '@tocsin/dev-servers/ports';
import { BUNDLE_ENTRY, bundleServices } from '@tocsin/local/bundle';
import { eventually, testNats } from '@tocsin/testing';
import { generateVaultKey } from '@tocsin/vault';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { createApi } from '../api.ts';
import { startTarget } from '../target.ts';

/**
 * Runs the programs of deploy/compose.yaml without containers. The programs have the environment variables of that
 * file, but use PostgreSQL and NATS servers of the test.
 */

const root = join(import.meta.dirname, '..', '..');
const DATABASE = 'tocsin_compose';
/** First port of the programs. The default port may be in use by an installation on this machine. */
const FIRST_PORT = 17_101;

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());
let environments: Readonly<Record<'migrate' | 'tocsin', NodeJS.ProcessEnv>>;
let port: number;

beforeAll(async () => {
  const adminUrl = new URL(inject('postgresUrl'));
  await createDatabase(adminUrl.href);
  const nats = stack.use(await testNats());
  port = await pickFreePort();
  const values: Record<string, string> = {
    VAULT_KEYS: generateVaultKey('k1'),
    BASE_URL: `http://127.0.0.1:${port}`,
    ADMIN_SECRET: 'a'.repeat(64),
    RUNTIME_SECRET: 'r'.repeat(64),
    ALLOW_PRIVATE_TARGETS: '127.0.0.0/8',
  };
  const { services } = parse(await readFile(join(root, 'deploy', 'compose.yaml'), 'utf8'), { merge: true });
  const environmentOf = (service: string): NodeJS.ProcessEnv => {
    const entries = Object.entries(services[service].environment as Record<string, string>);
    const interpolated = entries.map(([name, value]) => [name, interpolate(value, values)] as const);
    return {
      PATH: process.env.PATH,
      TOCSIN_LOG_LEVEL: 'warn',
      TOCSIN_CHECKER_REFERENCES: '',
      ...Object.fromEntries(interpolated),
      TOCSIN_NATS_URL: nats.url,
      TOCSIN_PORT: String(port),
      TOCSIN_FIRST_PORT: String(FIRST_PORT),
    };
  };
  const onTestServer = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
    const own = new URL(env.TOCSIN_DATABASE_URL ?? '');
    own.host = adminUrl.host;
    own.pathname = DATABASE;
    const owner = new URL(adminUrl);
    owner.pathname = DATABASE;
    return {
      ...env,
      TOCSIN_DATABASE_URL: own.href,
      ...(env.TOCSIN_OWNER_DATABASE_URL && { TOCSIN_OWNER_DATABASE_URL: owner.href }),
    };
  };
  environments = { migrate: onTestServer(environmentOf('migrate')), tocsin: onTestServer(environmentOf('tocsin')) };
});

/** Returns the value that Compose inserts for `${NAME}` and `${NAME:-default}`. */
function interpolate(value: string, values: Readonly<Record<string, string>>): string {
  return value.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, fallback = '') => values[name] ?? fallback);
}

async function createDatabase(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  stack.defer(async () => {
    await client.query(`drop database ${DATABASE} with (force)`);
    await client.query('drop role tocsin_runtime');
    await client.end();
  });
  await client.query(`create database ${DATABASE}`);
}

type Program = ChildProcessByStdio<null, Readable, null>;

function start(file: string, env: NodeJS.ProcessEnv, args: readonly string[] = []): Program {
  return spawn(process.execPath, [join(root, file), ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
}

async function outputOf(child: Program): Promise<{ readonly code: number | null; readonly output: string }> {
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { code, output };
}

test('all programs run in one process with the environment of compose.yaml, and check a target', async () => {
  const migrated = await outputOf(start('deploy/image/migrate.ts', environments.migrate));
  expect(migrated.code).toBe(0);

  // As in the image, the programs run from a bundle.
  const progress = { say: () => undefined, step: <Result>(_text: string, work: () => Promise<Result>) => work() };
  const bundle = pathToFileURL(join(await bundleServices({ workspace: root, progress }), BUNDLE_ENTRY)).href;
  const programs = start('deploy/image/all.ts', environments.tocsin, [bundle]);
  programs.stdout.pipe(process.stdout);
  const ended = once(programs, 'exit');
  stack.defer(() => void programs.kill('SIGKILL'));
  await eventually(
    async () => expect((await fetch(`http://127.0.0.1:${FIRST_PORT + 99 + 6}/readyz`)).status).toBe(200),
    { timeoutMs: 120_000, intervalMs: 250 },
  );

  const admin = async (...args: string[]) =>
    JSON.parse((await outputOf(start('deploy/local/admin.ts', environments.tocsin, args))).output);
  const { organization } = await admin('org', 'create', '--name', 'Acme', '--owner-email', 'jane@example.com');
  const { key } = await admin(
    ...['key', 'create', '--org', organization.uuid, '--name', 'deploy', '--permissions', 'monitors:read_write'],
  );
  await using target = await startTarget();
  const api = createApi(`http://127.0.0.1:${port}`, key);
  const { id } = await api.post<{ id: string }>('/monitors', {
    name: 'Shop',
    check_type: 'http',
    config: { url: target.url },
    alert_channel_ids: [],
  });
  await eventually(async () => expect(await api.get(`/monitors/${id}`)).toMatchObject({ current_state: 'up' }), {
    timeoutMs: 60_000,
  });

  programs.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
