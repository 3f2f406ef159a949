import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import openapiTs, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Network, startNetwork } from '../network.ts';

const run = promisify(execFile);

/** A program that uses types generated from the document. */
const program = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api.ts';

type Monitor = components['schemas']['Monitor'];

const api = createClient<paths>({
  baseUrl: process.env.BASE_URL ?? '',
  headers: { authorization: \`Bearer \${process.env.KEY}\` },
});

function expectData<Data>({ data, error }: { data?: Data; error?: components['schemas']['Error'] }): Data {
  if (error) throw new Error(\`\${error.error.type}: \${error.error.message}\`);
  if (data === undefined) throw new Error('neither data nor an error');
  return data;
}

const { data: created }: { data: Monitor } = expectData(
  await api.POST('/api/v1/monitors', {
    body: { name: 'Generated', check_type: 'http', config: { url: 'https://example.com/' }, enabled: false, alert_channel_ids: [] },
  }),
);
const path = { id: created.id };
const { data: listed } = expectData(
  await api.GET('/api/v1/monitors', { params: { query: { q: 'generated', check_type: 'http', enabled: false, limit: 10 } } }),
);
const { data: got } = expectData(await api.GET('/api/v1/monitors/{id}', { params: { path } }));
const { data: changed } = expectData(
  await api.PATCH('/api/v1/monitors/{id}', { params: { path }, body: { interval_seconds: 60 } }),
);
const refused = await api.PATCH('/api/v1/monitors/{id}', { params: { path }, body: { interval_seconds: 1 } });
const deleted = await api.DELETE('/api/v1/monitors/{id}', { params: { path } });
const gone = await api.GET('/api/v1/monitors/{id}', { params: { path } });

const words: readonly ('pending' | 'up' | 'down' | 'stale')[] = [got.current_state];
const wrong: string[] | undefined = refused.error?.error.errors?.interval_seconds;
console.log(
  JSON.stringify({
    created,
    listed: listed.map(({ id }) => id),
    got,
    words,
    interval: changed.interval_seconds,
    wrong,
    statuses: [refused, deleted, gone].map(({ response }) => response.status),
  }),
);

/** This function is never called. Each call in it must fail to compile. */
export async function mistakes() {
  // @ts-expect-error: there is no such path
  await api.GET('/api/v1/monitor');
  // @ts-expect-error: a name is required
  await api.POST('/api/v1/monitors', { body: { check_type: 'http' } });
  // @ts-expect-error: pigeon is not a check type
  await api.POST('/api/v1/monitors', { body: { name: 'x', check_type: 'pigeon' } });
  // @ts-expect-error: an http monitor needs a URL
  await api.POST('/api/v1/monitors', { body: { name: 'x', check_type: 'http', config: {} } });
  // @ts-expect-error: the interval must be a number
  await api.PATCH('/api/v1/monitors/{id}', { params: { path }, body: { interval_seconds: '60' } });
  // @ts-expect-error: an id is required
  await api.DELETE('/api/v1/monitors/{id}');
  // @ts-expect-error: there is no such field
  return got.does_not_exist;
}
`;

/** Fields with a default are optional in requests. */
const options = { defaultNonNullable: false };

const compilerOptions = {
  target: 'es2024',
  lib: ['es2024', 'dom'],
  module: 'nodenext',
  types: ['node'],
  strict: true,
  noEmit: true,
  noUncheckedIndexedAccess: true,
  allowImportingTsExtensions: true,
  // The generated types are checked as well.
  skipLibCheck: false,
};

const root = join(import.meta.dirname, '..', '..');
const stack = new AsyncDisposableStack();
let network: Network;
let folder: string;

beforeAll(async () => {
  // The folder is below this package, so that the program finds the client library.
  const parent = join(root, 'test', '.tmp');
  await mkdir(parent, { recursive: true });
  folder = await mkdtemp(join(parent, 'client-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  network = stack.use(await startNetwork());
  const document = await (await fetch(`${network.baseUrl}/openapi.yaml`)).text();
  await writeFile(join(folder, 'api.ts'), astToString(await openapiTs(document, options)));
  await writeFile(join(folder, 'program.ts'), program);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }));
});
afterAll(() => stack.disposeAsync());

async function complaints(): Promise<string> {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  return run(process.execPath, [compiler, '-p', folder]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}

test('a program with generated types compiles, and wrong calls do not', async () => {
  expect(await complaints()).toBe('');
});

test('the program lists, creates, gets, changes and deletes a monitor', async () => {
  const { installation, baseUrl } = network;
  const env = { ...process.env, BASE_URL: baseUrl, KEY: installation.bootstrap.api_key };
  const { stdout } = await run(process.execPath, [join(folder, 'program.ts')], { env });
  const said = JSON.parse(stdout);
  expect(said).toEqual({
    created: expect.objectContaining({ name: 'Generated', config: { url: 'https://example.com/' }, enabled: false }),
    listed: [said.created.id],
    got: said.created,
    words: ['pending'],
    interval: 60,
    wrong: ['must be between 30 and 86400'],
    statuses: [422, 204, 404],
  });
});
