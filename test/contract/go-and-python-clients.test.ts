import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Network, startNetwork } from '../network.ts';
import { readSamples } from './reference.ts';

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
  const env = { ...process.env, BASE_URL: network.baseUrl, KEY: key(), TOCSIN_API_KEY: key() };
  const options = { cwd: join(folder, cwd), env, timeout: LIMIT_MS, maxBuffer: 16_000_000 };
  return run(program, args, options).then(
    ({ stdout }) => stdout,
    (error: Error & { code?: unknown; stdout?: string; stderr?: string }) => {
      if (error.code === 'ENOENT') throw new Error(`${program} is not installed, and this test needs it`);
      throw new Error(`${program} ${args.join(' ')} failed:\n${error.stdout}\n${error.stderr}`);
    },
  );
}

const key = () => network.installation.bootstrap.api_key;

let python: Promise<string> | undefined;

/** Returns the folder of the programs of a Python environment with the required packages, which all tests share. */
function pythonPrograms(): Promise<string> {
  python ??= createPython().catch((error) => {
    // The next attempt installs the packages again.
    python = undefined;
    throw error;
  });
  return python;
}

async function createPython(): Promise<string> {
  await execute('python', 'python3', '-m', 'venv', 'venv');
  const programs = join(folder, 'python', 'venv', 'bin');
  const options = ['--quiet', '--disable-pip-version-check', '-r', 'requirements.txt'];
  await execute('python', join(programs, 'pip'), 'install', ...options);
  return programs;
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
  'a Go client generated from the OpenAPI 3.0 document compiles, and creates, changes and deletes a monitor',
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
  'a Python client generated from the OpenAPI 3.1 document creates, changes and deletes a monitor',
  async () => {
    const programs = await pythonPrograms();
    const bin = (name: string) => join(programs, name);
    const target = ['--path', '../openapi.yaml', '--output-path', 'tocsin_client', '--meta', 'none'];
    await execute('python', bin('openapi-python-client'), 'generate', ...target);
    await execute('python', bin('python'), '-m', 'compileall', '-q', 'tocsin_client');
    expect(JSON.parse(await execute('python', bin('python'), 'smoke.py'))).toEqual(said);
  },
  LIMIT_MS,
);

test(
  'the JavaScript, Python and Go samples of the API reference create, list and delete a monitor',
  async () => {
    const python = join(await pythonPrograms(), 'python');
    const programs: Record<string, (file: string) => Promise<string>> = {
      'javascript.mjs': (file) => execute('.', process.execPath, file),
      'python.py': (file) => execute('.', python, file),
      'go.go': (file) => execute('.', 'go', 'run', file),
    };
    const samples = await readSamples(network.baseUrl);
    for (const [file, runFile] of Object.entries(programs)) {
      const call = async (operation: string, id = '') => {
        const sample = samples.get(operation)?.[file.split('.')[0] ?? ''] ?? '';
        await writeFile(join(folder, file), sample.replace('0192f0c1-7a1e-7c3a-9f55-0e5b1c2d3e4f', id));
        return runFile(file);
      };
      expect(await call('createMonitor'), file).toMatch(/^201 .*Shop/s);
      const [monitor] = await network.api.get<{ id: string }[]>('/monitors');
      expect(await call('listMonitors'), file).toMatch(/^200 .*Shop/s);
      expect(await call('deleteMonitor', monitor?.id), file).toMatch(/^204\s*$/);
    }
    expect(await network.api.get('/monitors')).toEqual([]);
  },
  LIMIT_MS,
);
