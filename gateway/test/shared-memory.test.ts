import { create } from '@bufbuild/protobuf';
import type { CallOptions } from '@connectrpc/connect';
import { type Limits, toLimits } from '@tocsin/enums';
import { ServiceError } from '@tocsin/errors';
import { MonitorSchema } from '@tocsin/proto/monitor/v1/monitor';
import { createRuntime, idempotencyIdOf } from '@tocsin/runtime';
import { eventually, testDatabase, testNats } from '@tocsin/testing';
import { parseVaultKeys } from '@tocsin/vault';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Credentials } from '../src/clients/credentials.ts';
import { connectServices, type Services } from '../src/clients/services.ts';
import type { GatewayConfig } from '../src/config.ts';
import { createService } from '../src/service.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

const NOWHERE = 'http://127.0.0.1:1';
const VAULT_KEY = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
const CANARY = 'canary-of-the-answer';

/** URLs of two gateways that share a database like two replicas. */
const gateways: string[] = [];
let databaseUrl: string;
let created: number;
/** Idempotency ids of the creations that the fake monitor service has received. */
let ids: (string | undefined)[];
let limits: Partial<Limits>;
/** Work that the fake monitor service does during the next creation. */
let work: () => Promise<void>;
/** Size of the configs of monitors in responses. */
let configBytes: number;

beforeAll(async () => {
  const database = stack.use(await testDatabase('gateway'));
  const nats = stack.use(await testNats());
  databaseUrl = database.url;
  const config: GatewayConfig = {
    host: '127.0.0.1',
    port: 0,
    adminHost: '127.0.0.1',
    adminPort: 0,
    failedCredentialsPerMinute: 0,
    pagesPerMinute: 0,
    oauthPerMinute: 0,
    oauthAttemptsPerMinute: 0,
    requestTimeoutMs: 30_000,
    lingerMs: 0,
    pageCacheBytes: 16 * 1024 * 1024,
    pageMaxAgeMs: 60_000,
    liveVisitors: 0,
    trustedProxies: [],
    corsOrigins: [],
    logLevel: 'error',
    baseUrl: 'http://localhost',
    databaseUrl,
    vaultKeys: parseVaultKeys(VAULT_KEY),
    rateLimits: { stats: 5, read: 0, write: 0 },
    natsUrl: nats.url,
    serviceSecret: 'unused',
    identityUrl: NOWHERE,
    monitorUrl: NOWHERE,
    disruptionUrl: NOWHERE,
    statuspageUrl: NOWHERE,
    notifierUrl: NOWHERE,
  };
  for (let replica = 0; replica < 2; replica += 1) {
    const overrides = { credentials: knownCredentials(), services: monitorsOnly(config) };
    const gateway = stack.use(await createService(config, createRuntime('gateway', { logLevel: 'error' }), overrides));
    gateways.push(`http://127.0.0.1:${gateway.port}/api/v1`);
  }
});

beforeEach(() => {
  created = 0;
  ids = [];
  limits = {};
  configBytes = 0;
  work = async () => {};
});

/** Returns credentials by key: the credential of `key-1` has the id …0001. */
function knownCredentials(): Credentials {
  return {
    async exchange(secret) {
      const number = secret.replace('key-', '').padStart(12, '0');
      const organization = { id: '01920000-0000-7000-8000-000000000000', accountNumber: 1, name: 'Acme' };
      const permissions = ['monitors:read_write'];
      const credential = {
        id: `01920000-0000-7000-8000-${number}`,
        kind: 'api_key',
        name: secret,
        permissions,
      } as const;
      return { tokens: {}, organization, credential, limits: toLimits({ reads_per_minute: 0, ...limits }) };
    },
    drop() {},
  };
}

function monitorsOnly(config: GatewayConfig): Services {
  const services = connectServices(config);
  const id = '01920000-0000-7000-8000-00000000aaaa';
  const monitor = (name: string) =>
    create(MonitorSchema, { id, name, configJson: JSON.stringify({ url: CANARY, body: 'y'.repeat(configBytes) }) });
  const monitors = {
    ...services.monitors,
    createMonitor: async ({ name = '' }: { name?: string }, { headers }: CallOptions) => {
      created += 1;
      ids.push(idempotencyIdOf({ requestHeader: new Headers(headers) }));
      await work();
      return { monitor: monitor(name) };
    },
    getMonitor: async () => ({ monitor: monitor('Shop') }),
    getMonitorState: async () => ({}),
  };
  // The cast is safe, because the test calls only these three methods.
  return { ...services, monitors: monitors as unknown as Services['monitors'] };
}

function send(
  gateway: number,
  key: string,
  method: string,
  path: string,
  options: { body?: object; headers?: Record<string, string> } = {},
) {
  return fetch(`${gateways[gateway]}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...options.headers },
    ...(options.body && { body: JSON.stringify(options.body) }),
  });
}

interface Usage {
  readonly used: number;
}

const STATE = '/monitors/01920000-0000-7000-8000-00000000aaaa/state';
const shop = { name: 'Shop', check_type: 'http' };
const create1 = (gateway: number, key: string, idempotencyKey: string, body: object = shop) =>
  send(gateway, key, 'POST', '/monitors', { body, headers: { 'idempotency-key': idempotencyKey } });

/** Waits until the current window has enough time left for a test that counts calls. */
async function freshWindow(): Promise<void> {
  while (Date.now() % 60_000 > 55_000) await new Promise((resolve) => setTimeout(resolve, 250));
}

test('a rate limit is exact across two gateways, even for concurrent calls', async () => {
  await freshWindow();
  const responses = await Promise.all(Array.from({ length: 40 }, (_, index) => send(index % 2, 'key-1', 'GET', STATE)));
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(5);
  const refused = responses.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(35);
  expect(await refused[0]?.json()).toMatchObject({ error: { type: 'rate_limited' } });
  const wait = Number(refused[0]?.headers.get('retry-after'));
  expect(wait).toBeGreaterThanOrEqual(1);
  expect(wait).toBeLessThanOrEqual(60);
  const remaining = responses
    .filter(({ status }) => status === 200)
    .map((response) => Number(response.headers.get('x-ratelimit-remaining')));
  expect(remaining.sort()).toEqual([0, 1, 2, 3, 4]);
  for (const response of responses) {
    expect(response.headers.get('x-ratelimit-limit')).toBe('5');
    expect(Number(response.headers.get('x-ratelimit-reset')) % 60).toBe(0);
  }
});

test("the credentials of an organization also share the organization's limit", async () => {
  await freshWindow();
  limits = { stats_per_minute: 12 };
  // Each credential sends 4 requests, fewer than its own limit of 5.
  const responses = await Promise.all(
    Array.from({ length: 16 }, (_, index) => send(index % 2, `key-5${index % 4}`, 'GET', STATE)),
  );
  expect(responses.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(12);
  const refused = responses.find(({ status }) => status === 429);
  expect(await refused?.json()).toMatchObject({
    error: { type: 'rate_limited', message: expect.stringContaining('for the organization') },
  });
});

test('the number of bytes that an organization writes in a day is limited', async () => {
  limits = { write_bytes_per_day: 8 * 1024 };
  const body = (bytes: number) => ({ name: 'x'.repeat(200), check_type: 'http', config: { body: 'y'.repeat(bytes) } });
  const write = () => send(0, 'key-6', 'POST', '/monitors', { body: body(3_500) });
  expect([(await write()).status, (await write()).status]).toEqual([201, 201]);
  const refused = await write();
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining('write_bytes_per_day') } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(created).toBe(2);
});

/** Returns the number of bytes that the organization has written today. */
async function bytesUsed(): Promise<number> {
  const me = (await (await send(0, 'key-6', 'GET', '/me')).json()) as { data: { limits: Record<string, Usage> } };
  return me.data.limits.write_bytes_per_day?.used ?? 0;
}

test('a stored response to an invalid request counts its bytes, and others count only those of the request', async () => {
  limits = { write_bytes_per_day: 1_000 * 1024 };
  // Each of the 50 values adds a message to the response.
  const options = { body: { name: 'x', check_type: 'http', config: {}, alert_channel_ids: Array(50).fill(7) } };
  const before = await bytesUsed();
  const plain = await send(0, 'key-6', 'POST', '/monitors', options);
  expect(plain.status).toBe(422);
  const units = Math.ceil(Buffer.byteLength(await plain.text()) / 1024);
  expect(units).toBeGreaterThan(2);
  expect(await bytesUsed()).toBe(before + 1024);
  const post = () => send(0, 'key-6', 'POST', '/monitors', { ...options, headers: { 'idempotency-key': 'bytes-1' } });
  expect((await post()).status).toBe(422);
  await eventually(async () => expect(await bytesUsed()).toBe(before + 1024 + units * 1024));
  // A replayed response is not stored again.
  expect((await post()).headers.get('idempotency-replayed')).toBe('true');
  expect(await bytesUsed()).toBe(before + 2 * 1024 + units * 1024);
});

test('a POST without a body counts as one unit of written bytes, and a DELETE counts as none', async () => {
  limits = { write_bytes_per_day: 1_000 * 1024 };
  const path = '/monitors/01920000-0000-7000-8000-00000000aaaa';
  const before = await bytesUsed();
  await send(0, 'key-6', 'DELETE', path);
  expect(await bytesUsed()).toBe(before);
  await send(0, 'key-6', 'POST', `${path}/check`);
  await eventually(async () => expect(await bytesUsed()).toBe(before + 1024));
});

test('a write whose response is larger than its body counts the bytes of the response', async () => {
  limits = { write_bytes_per_day: 100 * 1024 };
  const before = await bytesUsed();
  configBytes = 20 * 1024;
  await send(0, 'key-6', 'GET', '/monitors/01920000-0000-7000-8000-00000000aaaa');
  expect((await send(0, 'key-6', 'POST', '/monitors', { body: shop })).status).toBe(201);
  await eventually(async () => expect(await bytesUsed()).toBe(before + 21 * 1024));
});

test('a credential over its limit is refused without a query to the database', async () => {
  await freshWindow();
  for (let call = 0; call < 6; call += 1) await send(0, 'key-7', 'GET', STATE);
  const blocker = new pg.Client(databaseUrl);
  await blocker.connect();
  try {
    await blocker.query('begin; lock table rate_window in exclusive mode');
    const refused = await send(0, 'key-7', 'GET', STATE);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  } finally {
    await blocker.end();
  }
});

test('a write does not wait for the shared counter while its organization is far below the daily byte limit', async () => {
  limits = { writes_per_minute: 0 };
  const write = () => send(0, 'key-6', 'POST', '/monitors', { body: { name: 'x', check_type: 'http', config: {} } });
  expect((await write()).status).toBe(201);
  const blocker = new pg.Client(databaseUrl);
  await blocker.connect();
  try {
    await blocker.query('begin; lock table rate_window in exclusive mode');
    expect((await write()).status).toBe(201);
    // With the new limit, the bytes counted so far leave little. Other gateways may have used the rest since this
    // gateway last read the shared counter, so it reads the counter before it accepts the write.
    limits = { writes_per_minute: 0, write_bytes_per_day: 64 * 1024 * 1024 };
    let isDone = false;
    const waiting = write().finally(() => (isDone = true));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(isDone).toBe(false);
    await blocker.query('commit');
    expect((await waiting).status).toBe(201);
  } finally {
    await blocker.end();
  }
});

test('a request is handled while it is counted if its limits are far from used up', async () => {
  await freshWindow();
  limits = { writes_per_minute: 1_000, write_bytes_per_day: 0 };
  const write = () => send(0, 'key-8', 'POST', '/monitors', { body: shop });
  const remaining = ({ headers }: Response) => Number(headers.get('x-ratelimit-remaining'));
  const before = remaining(await write());
  const blocker = new pg.Client(databaseUrl);
  await blocker.connect();
  try {
    await blocker.query('begin; lock table rate_window in exclusive mode');
    const waiting = write();
    await eventually(() => expect(created).toBe(2));
    await blocker.query('commit');
    expect(remaining(await waiting)).toBe(before - 1);
    limits = { writes_per_minute: 200, write_bytes_per_day: 0 };
    await blocker.query('begin; lock table rate_window in exclusive mode');
    const next = write();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(created).toBe(2);
    await blocker.query('commit');
    expect((await next).status).toBe(201);
  } finally {
    await blocker.end();
  }
});

test('the requests of each credential are counted separately, and a limit of 0 means no limit', async () => {
  await freshWindow();
  for (let call = 0; call < 6; call += 1) await send(0, 'key-2', 'GET', STATE);
  expect((await send(0, 'key-2', 'GET', STATE)).status).toBe(429);
  expect((await send(0, 'key-3', 'GET', STATE)).status).toBe(200);
  const unlimited = await send(0, 'key-2', 'GET', '/me');
  expect(unlimited.status).toBe(200);
  expect(unlimited.headers.has('x-ratelimit-limit')).toBe(false);
});

test('a repeated POST is executed once and gets the same response from every gateway', async () => {
  const first = await create1(0, 'key-4', 'order-1');
  const again = await create1(1, 'key-4', 'order-1');
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(await again.text()).toBe(await first.text());
  expect(first.headers.has('idempotency-replayed')).toBe(false);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(created).toBe(1);
});

test('a 422 from the gateway itself is stored for the idempotency key', async () => {
  const first = await create1(0, 'key-4', 'order-2', { check_type: 'http' });
  work = async () => {
    throw new ServiceError('internal', 'must not be reached');
  };
  expect(first.status).toBe(422);
  const again = await create1(1, 'key-4', 'order-2', { check_type: 'http' });
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([422, 'true']);
  expect(await again.text()).toBe(await first.text());
  work = async () => {};
  const corrected = await create1(0, 'key-4', 'order-2');
  expect(corrected.status).toBe(422);
  expect(await corrected.json()).toHaveProperty(['error', 'errors', 'idempotency-key']);
});

test('an idempotency key that was used with another body is refused with an explanation', async () => {
  await create1(0, 'key-4', 'order-3');
  const other = await create1(0, 'key-4', 'order-3', { ...shop, name: 'Another' });
  expect(other.status).toBe(422);
  expect(await other.json()).toMatchObject({
    error: { errors: { 'idempotency-key': ['was used for another request; use a new one'] } },
  });
  expect((await create1(0, 'key-5', 'order-3', { ...shop, name: 'Another' })).status).toBe(201);
});

test('a POST that is repeated while the first one runs gets a conflict and is not executed', async () => {
  const { promise: slow, resolve: finish } = Promise.withResolvers<void>();
  work = () => slow;
  const first = create1(0, 'key-4', 'order-4');
  const repeats: number[] = [];
  while (created === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  repeats.push((await create1(1, 'key-4', 'order-4')).status);
  finish();
  expect((await first).status).toBe(201);
  expect(repeats).toEqual([409]);
  expect(created).toBe(1);
});

test('a request that failed with a 5xx is executed again under the same id, and its key is not free for another request', async () => {
  work = async () => {
    throw new ServiceError('unavailable', 'away');
  };
  expect((await create1(0, 'key-4', 'order-5')).status).toBe(503);
  const other = await create1(0, 'key-4', 'order-5', { ...shop, name: 'Another' });
  expect(other.status).toBe(422);
  work = async () => {};
  expect((await create1(1, 'key-4', 'order-5')).status).toBe(201);
  expect((await create1(0, 'key-4', 'order-5')).headers.get('idempotency-replayed')).toBe('true');
  expect(ids).toEqual([expect.any(String), ids[0]]);
});

test('each key of each credential has an id of its own, and a request without a key or that only validates has none', async () => {
  await create1(0, 'key-4', 'order-7');
  await create1(0, 'key-4', 'order-8');
  await create1(0, 'key-5', 'order-8');
  expect(new Set(ids).size).toBe(3);
  expect(ids).not.toContain(undefined);
  ids = [];
  await send(0, 'key-4', 'POST', '/monitors', { body: shop });
  // A body that the gateway refuses is sent to the service, too, in a call that only validates.
  await create1(0, 'key-4', 'order-9', { ...shop, name: 1 });
  expect(ids).toEqual([undefined, undefined]);
});

test('a stored response is encrypted in the database', async () => {
  await create1(0, 'key-4', 'order-6');
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ row: string }>('select idempotent_answer::text as row from idempotent_answer');
  await client.end();
  expect(rows.length).toBeGreaterThan(0);
  for (const { row } of rows) expect(row).not.toContain(CANARY);
});

test('a read with a matching If-None-Match gets a 304 without a body', async () => {
  const path = '/monitors/01920000-0000-7000-8000-00000000aaaa';
  const first = await send(0, 'key-6', 'GET', path);
  const etag = first.headers.get('etag') ?? '';
  expect(etag).toMatch(/^W\/"[\w-]+"$/);
  for (const header of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
    const again = await send(1, 'key-6', 'GET', path, { headers: { 'if-none-match': header } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  }
  expect((await send(0, 'key-6', 'GET', path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
});
