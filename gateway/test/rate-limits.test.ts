import { eventually } from '@tocsin/testing';
import pg from 'pg';
import { expect, test } from 'vitest';
import { MONITOR, SHOP, useTwoGateways } from './two-gateways-fixture.ts';

const gateways = useTwoGateways();
const { services } = gateways;

interface Usage {
  readonly used: number;
}

const STATE = `${MONITOR}/state`;

/** Waits until the current window has enough time left for a test that counts calls. */
async function freshWindow(): Promise<void> {
  while (Date.now() % 60_000 > 55_000) await new Promise((resolve) => setTimeout(resolve, 250));
}

test('a rate limit is exact across two gateways, even for concurrent calls', async () => {
  await freshWindow();
  const responses = await Promise.all(
    Array.from({ length: 40 }, (_, index) => gateways.send(index % 2, 'key-1', 'GET', STATE)),
  );
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
  services.limits = { stats_per_minute: 12 };
  // Each credential sends 4 requests, fewer than its own limit of 5.
  const responses = await Promise.all(
    Array.from({ length: 16 }, (_, index) => gateways.send(index % 2, `key-5${index % 4}`, 'GET', STATE)),
  );
  expect(responses.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(12);
  const refused = responses.find(({ status }) => status === 429);
  expect(await refused?.json()).toMatchObject({
    error: { type: 'rate_limited', message: expect.stringContaining('for the organization') },
  });
});

test('the number of bytes that an organization writes in a day is limited', async () => {
  services.limits = { write_bytes_per_day: 8 * 1024 };
  const body = (bytes: number) => ({ name: 'x'.repeat(200), check_type: 'http', config: { body: 'y'.repeat(bytes) } });
  const write = () => gateways.send(0, 'key-6', 'POST', '/monitors', { body: body(3_500) });
  expect([(await write()).status, (await write()).status]).toEqual([201, 201]);
  const refused = await write();
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining('write_bytes_per_day') } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(services.created).toBe(2);
});

/** Returns the number of bytes that the organization has written today. */
async function bytesUsed(): Promise<number> {
  const me = (await (await gateways.send(0, 'key-6', 'GET', '/me')).json()) as {
    data: { limits: Record<string, Usage> };
  };
  return me.data.limits.write_bytes_per_day?.used ?? 0;
}

test('a stored response to an invalid request counts its bytes, and others count only those of the request', async () => {
  services.limits = { write_bytes_per_day: 1_000 * 1024 };
  // Each of the 50 values adds a message to the response.
  const options = { body: { name: 'x', check_type: 'http', config: {}, alert_channel_ids: Array(50).fill(7) } };
  const before = await bytesUsed();
  const plain = await gateways.send(0, 'key-6', 'POST', '/monitors', options);
  expect(plain.status).toBe(422);
  const units = Math.ceil(Buffer.byteLength(await plain.text()) / 1024);
  expect(units).toBeGreaterThan(2);
  expect(await bytesUsed()).toBe(before + 1024);
  const post = () =>
    gateways.send(0, 'key-6', 'POST', '/monitors', { ...options, headers: { 'idempotency-key': 'bytes-1' } });
  expect((await post()).status).toBe(422);
  await eventually(async () => expect(await bytesUsed()).toBe(before + 1024 + units * 1024));
  // A replayed response is not stored again.
  expect((await post()).headers.get('idempotency-replayed')).toBe('true');
  expect(await bytesUsed()).toBe(before + 2 * 1024 + units * 1024);
});

test('a POST without a body counts as one unit of written bytes, and a DELETE counts as none', async () => {
  services.limits = { write_bytes_per_day: 1_000 * 1024 };
  const before = await bytesUsed();
  await gateways.send(0, 'key-6', 'DELETE', MONITOR);
  expect(await bytesUsed()).toBe(before);
  await gateways.send(0, 'key-6', 'POST', `${MONITOR}/check`);
  await eventually(async () => expect(await bytesUsed()).toBe(before + 1024));
});

test('a write whose response is larger than its body counts the bytes of the response', async () => {
  services.limits = { write_bytes_per_day: 100 * 1024 };
  const before = await bytesUsed();
  services.configBytes = 20 * 1024;
  await gateways.send(0, 'key-6', 'GET', MONITOR);
  expect((await gateways.send(0, 'key-6', 'POST', '/monitors', { body: SHOP })).status).toBe(201);
  await eventually(async () => expect(await bytesUsed()).toBe(before + 21 * 1024));
});

/** Returns a connection that can lock the counters that the gateways share. */
async function connectToCounters() {
  const client = new pg.Client(gateways.databaseUrl);
  await client.connect();
  return {
    lock: () => client.query('begin; lock table rate_window in exclusive mode'),
    unlock: () => client.query('commit'),
    [Symbol.asyncDispose]: () => client.end(),
  };
}

test('a credential over its limit is refused without a query to the database', async () => {
  await freshWindow();
  for (let call = 0; call < 6; call += 1) await gateways.send(0, 'key-7', 'GET', STATE);
  await using counters = await connectToCounters();
  await counters.lock();
  const refused = await gateways.send(0, 'key-7', 'GET', STATE);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('a write does not wait for the shared counter while its organization is far below the daily byte limit', async () => {
  services.limits = { writes_per_minute: 0 };
  const write = () =>
    gateways.send(0, 'key-6', 'POST', '/monitors', { body: { name: 'x', check_type: 'http', config: {} } });
  expect((await write()).status).toBe(201);
  await using counters = await connectToCounters();
  await counters.lock();
  expect((await write()).status).toBe(201);
  // With the new limit, the bytes counted so far leave little. Other gateways may have used the rest since this
  // gateway last read the shared counter, so it reads the counter before it accepts the write.
  services.limits = { writes_per_minute: 0, write_bytes_per_day: 64 * 1024 * 1024 };
  let isDone = false;
  const waiting = write().finally(() => (isDone = true));
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(isDone).toBe(false);
  await counters.unlock();
  expect((await waiting).status).toBe(201);
});

test('a request is handled while it is counted if its limits are far from used up', async () => {
  await freshWindow();
  services.limits = { writes_per_minute: 1_000, write_bytes_per_day: 0 };
  const write = () => gateways.send(0, 'key-8', 'POST', '/monitors', { body: SHOP });
  const remaining = ({ headers }: Response) => Number(headers.get('x-ratelimit-remaining'));
  const before = remaining(await write());
  await using counters = await connectToCounters();
  await counters.lock();
  const waiting = write();
  await eventually(() => expect(services.created).toBe(2));
  await counters.unlock();
  expect(remaining(await waiting)).toBe(before - 1);
  services.limits = { writes_per_minute: 200, write_bytes_per_day: 0 };
  await counters.lock();
  const next = write();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(services.created).toBe(2);
  await counters.unlock();
  expect((await next).status).toBe(201);
});

test('the requests of each credential are counted separately, and a limit of 0 means no limit', async () => {
  await freshWindow();
  for (let call = 0; call < 6; call += 1) await gateways.send(0, 'key-2', 'GET', STATE);
  expect((await gateways.send(0, 'key-2', 'GET', STATE)).status).toBe(429);
  expect((await gateways.send(0, 'key-3', 'GET', STATE)).status).toBe(200);
  const unlimited = await gateways.send(0, 'key-2', 'GET', '/me');
  expect(unlimited.status).toBe(200);
  expect(unlimited.headers.has('x-ratelimit-limit')).toBe(false);
});
