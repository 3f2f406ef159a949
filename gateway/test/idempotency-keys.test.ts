import { ServiceError } from '@tocsin/errors';
import pg from 'pg';
import { expect, test } from 'vitest';
import { CANARY, SHOP, useTwoGateways } from './two-gateways-fixture.ts';

const gateways = useTwoGateways();
const { services } = gateways;

const create1 = (gateway: number, key: string, idempotencyKey: string, body: object = SHOP) =>
  gateways.send(gateway, key, 'POST', '/monitors', { body, headers: { 'idempotency-key': idempotencyKey } });

test('a repeated POST is executed once and gets the same response from every gateway', async () => {
  const first = await create1(0, 'key-4', 'order-1');
  const again = await create1(1, 'key-4', 'order-1');
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(await again.text()).toBe(await first.text());
  expect(first.headers.has('idempotency-replayed')).toBe(false);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(services.created).toBe(1);
});

test('a 422 from the gateway itself is stored for the idempotency key', async () => {
  const first = await create1(0, 'key-4', 'order-2', { check_type: 'http' });
  services.work = async () => {
    throw new ServiceError('internal', 'must not be reached');
  };
  expect(first.status).toBe(422);
  const again = await create1(1, 'key-4', 'order-2', { check_type: 'http' });
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([422, 'true']);
  expect(await again.text()).toBe(await first.text());
  services.work = async () => {};
  const corrected = await create1(0, 'key-4', 'order-2');
  expect(corrected.status).toBe(422);
  expect(await corrected.json()).toHaveProperty(['error', 'errors', 'idempotency-key']);
});

test('an idempotency key that was used with another body is refused with an explanation', async () => {
  await create1(0, 'key-4', 'order-3');
  const other = await create1(0, 'key-4', 'order-3', { ...SHOP, name: 'Another' });
  expect(other.status).toBe(422);
  expect(await other.json()).toMatchObject({
    error: { errors: { 'idempotency-key': ['was used for another request; use a new one'] } },
  });
  expect((await create1(0, 'key-5', 'order-3', { ...SHOP, name: 'Another' })).status).toBe(201);
});

test('a POST that is repeated while the first one runs gets a conflict and is not executed', async () => {
  const { promise: slow, resolve: finish } = Promise.withResolvers<void>();
  services.work = () => slow;
  const first = create1(0, 'key-4', 'order-4');
  const repeats: number[] = [];
  while (services.created === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  repeats.push((await create1(1, 'key-4', 'order-4')).status);
  finish();
  expect((await first).status).toBe(201);
  expect(repeats).toEqual([409]);
  expect(services.created).toBe(1);
});

test('a request that failed with a 5xx is executed again under the same id, and its key is not free for another request', async () => {
  services.work = async () => {
    throw new ServiceError('unavailable', 'away');
  };
  expect((await create1(0, 'key-4', 'order-5')).status).toBe(503);
  const other = await create1(0, 'key-4', 'order-5', { ...SHOP, name: 'Another' });
  expect(other.status).toBe(422);
  services.work = async () => {};
  expect((await create1(1, 'key-4', 'order-5')).status).toBe(201);
  expect((await create1(0, 'key-4', 'order-5')).headers.get('idempotency-replayed')).toBe('true');
  expect(services.idempotencyIds).toEqual([expect.any(String), services.idempotencyIds[0]]);
});

test('each key of each credential has an id of its own, and a request without a key or that only validates has none', async () => {
  await create1(0, 'key-4', 'order-7');
  await create1(0, 'key-4', 'order-8');
  await create1(0, 'key-5', 'order-8');
  expect(new Set(services.idempotencyIds).size).toBe(3);
  expect(services.idempotencyIds).not.toContain(undefined);
  services.idempotencyIds = [];
  await gateways.send(0, 'key-4', 'POST', '/monitors', { body: SHOP });
  // A body that the gateway refuses is sent to the service, too, in a call that only validates.
  await create1(0, 'key-4', 'order-9', { ...SHOP, name: 1 });
  expect(services.idempotencyIds).toEqual([undefined, undefined]);
});

test('a stored response is encrypted in the database', async () => {
  await create1(0, 'key-4', 'order-6');
  const client = new pg.Client({ connectionString: gateways.databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ row: string }>('select idempotent_answer::text as row from idempotent_answer');
  await client.end();
  expect(rows.length).toBeGreaterThan(0);
  for (const { row } of rows) expect(row).not.toContain(CANARY);
});
