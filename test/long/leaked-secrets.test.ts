import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { MonitorService } from '@tocsin/proto/monitor/v1/monitor';
import { serviceCredential } from '@tocsin/proto/service-credential';
import { eventually } from '@tocsin/testing';
import { generateVaultKey } from '@tocsin/vault';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApi } from '../api.ts';
import { admin } from '../journeys/admin.ts';
import { type Network, startNetwork } from '../network.ts';

/** Runs the commands of docs/operations/key-rotation.md that replace leaked secrets, while clients send requests. */

const stack = new AsyncDisposableStack();
const keys = { old: generateVaultKey('old'), new: generateVaultKey('new') };
let keysFile: string;
let network: Network;
let page: string;
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-keys-'));
  stack.defer(() => rm(folder, { recursive: true }));
  keysFile = join(folder, 'vault-keys');
  await writeFile(keysFile, keys.old);
  network = stack.use(await startNetwork({ TOCSIN_VAULT_KEYS_FILE: keysFile }));
  page = await readFile(join(import.meta.dirname, '../../docs/operations/key-rotation.md'), 'utf8');
});
afterAll(() => stack.disposeAsync());

/** Milliseconds to wait until every program has reread the vault keys. */
const READ_MS = 15_000;

/** Runs an operator command from the document, and returns the JSON that it prints. */
async function run(command: string, ...options: string[]) {
  expect(page).toContain(`npm run --silent admin -- ${command}`);
  const { code, stdout, stderr } = await admin(network.dataDir, ...command.split(' '), ...options);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

/** Repeats a request until `stop` is called, and collects the failures. */
function repeat(request: () => Promise<unknown>) {
  const failures: unknown[] = [];
  let requests = 0;
  let isStopped = false;
  const running = (async () => {
    while (!isStopped) {
      requests += 1;
      await request().catch((error: unknown) => failures.push(error));
    }
  })();
  return {
    failures,
    async stop() {
      isStopped = true;
      await running;
      return requests;
    },
  };
}

test('all kinds of secrets are replaced under load without a failed request', async () => {
  const { baseUrl, installation } = network;
  const { api_key: bootstrapKey, organization, grpc } = installation.bootstrap;
  const org = ['--org', organization.uuid];

  const createKey = (name: string): Promise<{ id: string; key: string }> =>
    run('key create', ...org, '--name', name, '--permissions', 'monitors:read_write,api_keys:read_write');
  const leakedKey = await createKey('leaked');
  let api = createApi(baseUrl, leakedKey.key);

  const createCredential = (name: string): Promise<{ id: string; secret: string }> => {
    const rights = ['--services', 'monitor', '--permissions', 'monitors:read', '--token-seconds', '10'];
    return run('service-credential create', '--name', name, ...rights, ...org);
  };
  const identity = createGrpcTransport({ baseUrl: `http://${grpc.identity}` });
  const clientWith = ({ secret }: { secret: string }) => {
    const authenticated = serviceCredential({ identity, secret, audience: 'monitor' });
    const options = { baseUrl: `http://${grpc.monitor}`, interceptors: [authenticated] };
    return createClient(MonitorService, createGrpcTransport(options));
  };
  const leakedCredential = await createCredential('leaked');
  let client = clientWith(leakedCredential);

  const loads = [
    repeat(() => api.get('/monitors')),
    // Heartbeat tokens and the responses to requests with an idempotency key are stored encrypted. Repeating such a
    // request decrypts them.
    repeat(async () => {
      // Both requests use the same API key, because an idempotency key is valid for one API key.
      const sender = api;
      const body = { name: 'Job', check_type: 'heartbeat', config: {}, enabled: false };
      const headers = { 'idempotency-key': crypto.randomUUID() };
      const [first, again] = [
        await sender.send('POST', '/api/v1/monitors', body, headers),
        await sender.send('POST', '/api/v1/monitors', body, headers),
      ];
      if (first.status !== 201 || again.text !== first.text) throw new Error(`${first.text} ${again.text}`);
      await api.delete(`/monitors/${(first.body as { data: { id: string } }).data.id}`);
    }),
    repeat(() => client.listMonitors({})),
  ];
  const collected = () => loads.flatMap(({ failures }) => failures);

  // The signing key changes a minute after the command, without a restart.
  const { id } = await run('signing-key rotate');
  const keyIdOfNewToken = async () => {
    const words = ['token', 'create', ...org, '--service', 'monitor'];
    const { token } = JSON.parse((await admin(network.dataDir, ...words)).stdout);
    return JSON.parse(Buffer.from(token.split('.')[0], 'base64url').toString()).kid;
  };
  expect(await keyIdOfNewToken()).not.toBe(id);
  await eventually(async () => expect(await keyIdOfNewToken()).toBe(id), { timeoutMs: 120_000, intervalMs: 2_000 });
  expect(collected()).toEqual([]);

  // The vault key changes in three steps, without a restart.
  expect(page).toContain('Append the new key');
  await writeFile(keysFile, `${keys.old},${keys.new}`);
  await setTimeout(READ_MS);
  await writeFile(keysFile, `${keys.new},${keys.old}`);
  const vaultStatus = async () => run('vault status');
  await eventually(
    async () => {
      const { done, sealed } = await vaultStatus();
      expect(done).toBe(true);
      for (const counts of Object.values(sealed)) expect(Object.keys(counts as object)).toEqual(['new*']);
    },
    { timeoutMs: 120_000, intervalMs: 2_000 },
  );
  await writeFile(keysFile, keys.new);
  await setTimeout(READ_MS);
  expect(collected()).toEqual([]);

  const earlier = clientWith(leakedCredential);
  await earlier.listMonitors({});
  client = clientWith(await createCredential('new'));
  await run('service-credential revoke', '--id', leakedCredential.id);
  const listed = await run('service-credential list', ...org);
  expect(listed.service_credentials.map(({ name }: { name: string }) => name)).toEqual(['new']);
  await eventually(() => expect(earlier.listMonitors({})).rejects.toThrow(/unknown, revoked or expired/), {
    timeoutMs: 30_000,
  });

  const newKey = await createKey('new');
  api = createApi(baseUrl, newKey.key);
  // Like an operator, wait until all clients use the new key.
  await setTimeout(1_000);
  expect(page).toContain('curl -X DELETE "$BASE_URL/api/v1/api-keys/$ID"');
  await createApi(baseUrl, bootstrapKey).delete(`/api-keys/${leakedKey.id}`);
  const refused = () => createApi(baseUrl, leakedKey.key).send('GET', '/api/v1/me');
  await eventually(async () => expect((await refused()).status).toBe(401), { timeoutMs: 5_000 });

  const counts = await Promise.all(loads.map((load) => load.stop()));
  expect(collected()).toEqual([]);
  for (const count of counts) expect(count).toBeGreaterThan(20);
});
