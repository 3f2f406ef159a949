import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admin } from '../journeys/admin.ts';
import { type Network, startNetwork } from '../network.ts';

/** Calls services from programs in other languages with a service credential (docs/grpc.md). */

const run = promisify(execFile);

/** Timeout in milliseconds for downloads, generation and compilation on a new machine. */
const LIMIT_MS = 600_000;
const WORKSPACE = join(import.meta.dirname, '../..');
const PROTO = join(WORKSPACE, 'proto');
/** Go modules of the plugins for buf. The versions are pinned. */
const GO_PLUGINS = [
  'google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.11',
  'google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.0',
];

const stack = new AsyncDisposableStack();
let network: Network;
let folder: string;
let secret: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tocsin-grpc-clients-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  await cp(join(import.meta.dirname, 'clients'), folder, { recursive: true });
  network = stack.use(await startNetwork());
  const config = { url: 'https://shop.example.com/' };
  await network.api.post('/monitors', { name: 'Shop', check_type: 'http', config, enabled: false });
  const { uuid } = network.installation.bootstrap.organization;
  const scope = ['--org', uuid, '--services', 'monitor', '--permissions', 'monitors:read', '--token-seconds', '10'];
  const created = await admin(network.dataDir, 'service-credential', 'create', '--name', 'clients', ...scope);
  ({ secret } = JSON.parse(created.stdout));
}, LIMIT_MS);
afterAll(() => stack.disposeAsync());

/**
 * Runs a program to its end and returns its output.
 * @throws Error with its output when it fails or is not installed.
 */
async function execute(cwd: string, program: string, ...args: string[]): Promise<string> {
  const { identity: IDENTITY, monitor: MONITOR } = network.installation.bootstrap.grpc;
  const bin = join(folder, 'bin');
  const paths = `${bin}:${process.env.PATH}`;
  const env = { ...process.env, PATH: paths, GOBIN: bin, IDENTITY, MONITOR, SECRET: secret };
  const options = { cwd: join(folder, cwd), env, timeout: LIMIT_MS, maxBuffer: 16_000_000 };
  return run(program, args, options).then(
    ({ stdout }) => stdout,
    (error: Error & { code?: unknown; stdout?: string; stderr?: string }) => {
      if (error.code === 'ENOENT') throw new Error(`${program} is not installed, and this test needs it`);
      throw new Error(`${program} ${args.join(' ')} failed:\n${error.stdout}\n${error.stderr}`);
    },
  );
}

const protos = ['access', 'identity', 'monitor'].map((name) => join(PROTO, `tocsin/${name}/v1/${name}.proto`));

// Both clients wait for the end of a token, so they run at the same time.
test.concurrent(
  'a Python client lists monitors, renews its token and gets an error for calls that its credential does not allow',
  async () => {
    await execute('grpc-python', 'python3', '-m', 'venv', 'venv');
    const bin = (name: string) => join(folder, 'grpc-python', 'venv', 'bin', name);
    const quiet = ['--quiet', '--disable-pip-version-check'];
    await execute('grpc-python', bin('pip'), 'install', ...quiet, '-r', 'requirements.txt');
    const output = ['--python_out=.', '--grpc_python_out=.'];
    await execute('grpc-python', bin('python'), '-m', 'grpc_tools.protoc', '-I', PROTO, ...output, ...protos);
    const printed = await execute('grpc-python', bin('python'), 'list_monitors.py');
    expect(JSON.parse(printed)).toEqual({ names: ['Shop'], tokens: 2, deletion: 'PERMISSION_DENIED' });
  },
  LIMIT_MS,
);

test.concurrent(
  'a Go client lists monitors, renews its token and gets an error for calls that its credential does not allow',
  async () => {
    for (const plugin of GO_PLUGINS) await execute('grpc-go', 'go', 'install', plugin);
    const paths = protos.flatMap((path) => ['--path', path]);
    await execute('grpc-go', join(WORKSPACE, 'node_modules/.bin/buf'), 'generate', PROTO, ...paths);
    await execute('grpc-go', 'go', 'build', '-o', 'client', '.');
    const printed = await execute('grpc-go', join(folder, 'grpc-go', 'client'));
    expect(JSON.parse(printed)).toEqual({ names: ['Shop'], tokens: 2, deletion: 'PermissionDenied' });
  },
  LIMIT_MS,
);
