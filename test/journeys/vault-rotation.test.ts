import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pickFreePort } from '@tocsin/dev-servers/ports';
import { removePostgresHome } from '@tocsin/dev-servers/postgres-home';
import { startInstallation } from '@tocsin/local/installation';
import { eventually } from '@tocsin/testing';
import { generateVaultKey } from '@tocsin/vault';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApi } from '../api.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import { admin } from './admin.ts';

const stack = new AsyncDisposableStack();
let dataDir: string;
let port: number;
let receiver: Receiver;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tocsin-vault-'));
  await chmod(dataDir, 0o711);
  stack.defer(async () => {
    await removePostgresHome(join(dataDir, 'postgres'));
    await rm(dataDir, { recursive: true, force: true });
  });
  port = await pickFreePort();
  receiver = stack.use(await startReceiver());
});
afterAll(() => stack.disposeAsync());

/** Starts the product on the shared data folder with the given vault keys. */
async function start(vaultKeys: string | undefined) {
  const baseUrl = `http://127.0.0.1:${port}`;
  const installation = await startInstallation({
    workspace: join(import.meta.dirname, '../..'),
    dataDir,
    port,
    progress: { step: (_, work) => work(), say: () => undefined },
    env: {
      ...process.env,
      TOCSIN_REGIONS: 'local',
      TOCSIN_CHECKER_REFERENCES: '',
      TOCSIN_LOG_LEVEL: 'warn',
      TOCSIN_BASE_URL: baseUrl,
      TOCSIN_RATE_LIMIT_WRITE: '0',
      TOCSIN_LIMIT_WRITES_PER_MINUTE: '0',
      ...(vaultKeys !== undefined && { TOCSIN_VAULT_KEYS: vaultKeys }),
    },
  });
  return {
    api: createApi(baseUrl, installation.bootstrap.api_key),
    [Symbol.asyncDispose]: () => installation[Symbol.asyncDispose](),
  };
}

const vaultStatus = async () => JSON.parse((await admin(dataDir, 'vault', 'status')).stdout);

test('a vault key is replaced under load without failed alerts, and the old key can be removed', async () => {
  let channel = '';
  let monitor = '';
  let heartbeatUrl = '';
  let deliveries = 0;
  const sendAlert = async (api: ReturnType<typeof createApi>) => {
    const delivery = await api.post<{ status: string }>(`/alert-channels/${channel}/test`);
    expect(delivery).toMatchObject({ status: 'sent' });
    deliveries += 1;
  };
  {
    await using first = await start(undefined);
    const { api } = first;
    const config = { url: `${receiver.url}/hook`, headers: { authorization: 'Bearer s3cret' } };
    channel = (await api.post<{ id: string }>('/alert-channels', { name: 'Hook', type: 'webhook', config })).id;
    for (let index = 0; index < 100; index += 1)
      await api.post('/alert-channels', { name: `Hook ${index}`, type: 'webhook', config });
    await api.post('/webhooks', { url: `${receiver.url}/events`, events: ['monitor.created'] });
    const http = {
      name: 'Shop',
      check_type: 'http',
      enabled: false,
      interval_seconds: 60,
      secrets: { TOKEN: 's3cret' },
    };
    monitor = (
      await api.post<{ id: string }>('/monitors', {
        ...http,
        config: { url: 'http://127.0.0.1:1/', headers: { authorization: '{{TOKEN}}' } },
      })
    ).id;
    const job = { name: 'Job', check_type: 'heartbeat', interval_seconds: 60, config: {} };
    heartbeatUrl = (await api.post<{ heartbeat_url: string }>('/monitors', job)).heartbeat_url;
    await sendAlert(api);
  }
  const oldKey: string = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8')).vaultKeys;
  const newKey = generateVaultKey('rotated');
  {
    await using second = await start(`${newKey},${oldKey}`);
    const { api } = second;
    await eventually(
      async () => {
        await sendAlert(api);
        expect(await vaultStatus()).toMatchObject({
          done: true,
          sealed: {
            'notifier.channel': { 'rotated*': 101 },
            'notifier.subscription': { 'rotated*': 1 },
            'monitor.monitor_secrets': { 'rotated*': 1 },
            'monitor.monitor': { 'rotated*': 1 },
            'identity.signing_key': { 'rotated*': expect.any(Number) },
          },
        });
      },
      { timeoutMs: 120_000, intervalMs: 500 },
    );
  }
  {
    await using third = await start(newKey);
    const { api } = third;
    await sendAlert(api);
    const job = await (await fetch(heartbeatUrl)).json();
    expect(job).toMatchObject({ status: 'ok' });
    expect(await api.get(`/monitors/${monitor}`)).toMatchObject({ secret_names: ['TOKEN'] });
    expect(await api.post(`/monitors/${monitor}/check`)).toBeDefined();
    await api.post('/monitors', { name: 'New', check_type: 'heartbeat', interval_seconds: 60, config: {} });
    await eventually(() => expect(receiver.requests('/events').length).toBeGreaterThan(0));
  }
  expect(receiver.alerts('/hook')).toHaveLength(deliveries);
});
