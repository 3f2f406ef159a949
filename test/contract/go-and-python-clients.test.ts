import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Network, startNetwork } from '../network.ts';

const run = promisify(execFile);

/** The version is pinned, so that a new release can't break an unrelated change. */
const GO_GENERATOR = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';

/** Timeout in milliseconds for downloads, generation and compilation on a new machine. */
const LIMIT_MS = 600_000;

const stack = new AsyncDisposableStack();
let network: Network;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tocsin-clients-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  await cp(join(import.meta.dirname, 'clients'), folder, { recursive: true });
  network = stack.use(await startNetwork());
  for (const name of ['openapi.yaml', 'openapi-3.0.yaml']) {
    await writeFile(join(folder, name), await (await fetch(`${network.baseUrl}/${name}`)).text());
  }
}, LIMIT_MS);
afterAll(() => stack.disposeAsync());

/**
 * Runs a program to its end.
 * @throws Error with its output when it fails or is not installed.
 */
async function execute(cwd: string, program: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, BASE_URL: network.baseUrl, KEY: network.installation.bootstrap.api_key };
  const options = { cwd: join(folder, cwd), env, timeout: LIMIT_MS, maxBuffer: 16_000_000 };
  return run(program, args, options).then(
    ({ stdout }) => stdout,
    (error: Error & { code?: unknown; stdout?: string; stderr?: string }) => {
      if (error.code === 'ENOENT') throw new Error(`${program} is not installed, and this test needs it`);
      throw new Error(`${program} ${args.join(' ')} failed:\n${error.stdout}\n${error.stderr}`);
    },
  );
}

const said = {
  url: 'https://example.com/',
  state: 'pending',
  listed: 1,
  interval: 60,
  message: 'interval_seconds must be between 30 and 86400',
  errors: { interval_seconds: ['must be between 30 and 86400'] },
  statuses: [422, 204, 404],
};

test(
  'a Go client from the 3.0 document compiles, and creates, changes and deletes a monitor',
  async () => {
    const flags = ['-generate', 'types,client', '-package', 'api', '-o', 'api/api.go'];
    await execute('go', 'mkdir', '-p', 'api');
    await execute('go', 'go', 'run', GO_GENERATOR, ...flags, '../openapi-3.0.yaml');
    await execute('go', 'go', 'build', '-o', 'smoke', '.');
    expect(JSON.parse(await execute('go', join(folder, 'go', 'smoke')))).toEqual(said);
  },
  LIMIT_MS,
);

test(
  'a Python client from the 3.1 document creates, changes and deletes a monitor',
  async () => {
    await execute('python', 'python3', '-m', 'venv', 'venv');
    const bin = (name: string) => join(folder, 'python', 'venv', 'bin', name);
    await execute('python', bin('pip'), 'install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt');
    const target = ['--path', '../openapi.yaml', '--output-path', 'tocsin_client', '--meta', 'none'];
    await execute('python', bin('openapi-python-client'), 'generate', ...target);
    await execute('python', bin('python'), '-m', 'compileall', '-q', 'tocsin_client');
    expect(JSON.parse(await execute('python', bin('python'), 'smoke.py'))).toEqual(said);
  },
  LIMIT_MS,
);
