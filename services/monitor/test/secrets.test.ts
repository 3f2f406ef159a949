import { openDatabase } from '@tocsin/database';
import { CheckConfigService } from '@tocsin/proto/monitor/v1/checks';
import { CheckType } from '@tocsin/proto/monitor/v1/monitor';
import { createRpcClient, createTransport } from '@tocsin/runtime';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { monitorFixture } from './start-monitor.ts';

const fixture = await monitorFixture();
const replica = await fixture.start();
afterAll(() => fixture[Symbol.asyncDispose]());

const organizationId = v7();
const client = await replica.clientOf(organizationId);
const checkerToken = await fixture.identity.serviceToken('checker');
const checker = createRpcClient(
  CheckConfigService,
  createTransport({
    url: `http://127.0.0.1:${replica.service.rpcPort}`,
    service: 'monitor',
    tokens: { token: async () => checkerToken },
  }),
);

const VALUE = 'canary-7a1e7c3a';
const configJson = JSON.stringify({ url: 'https://example.com/', headers: { Authorization: 'Bearer {{KEY}}' } });
const keyed = { set: [{ name: 'KEY', value: VALUE }] };

async function createKeyed() {
  const { monitor } = await client.createMonitor({
    name: 'Shop',
    checkType: CheckType.HTTP,
    configJson,
    secrets: keyed,
  });
  if (!monitor) throw new Error('no monitor');
  return monitor;
}

async function published(id: string): Promise<Record<string, string>> {
  const { configs } = await checker.getCheckConfigs({ monitorIds: [id] });
  return Object.fromEntries((configs[0]?.secrets ?? []).map(({ name, value }) => [name, value]));
}

test("owners can read only the names of a monitor's secrets, and checkers can read the values", async () => {
  const monitor = await createKeyed();
  expect(monitor.secretNames).toEqual(['KEY']);
  expect(monitor).not.toHaveProperty('secrets');
  expect(await published(monitor.id)).toEqual({ KEY: VALUE });
});

test('an update adds, replaces and removes secrets, and increments the version', async () => {
  const { id, version } = await createKeyed();
  const secrets = {
    set: [
      { name: 'A', value: '1' },
      { name: '__proto__', value: '2' },
    ],
    removed: ['NEVER'],
  };
  const { monitor } = await client.updateMonitor({ id, secrets });
  expect(monitor?.secretNames).toEqual(['A', 'KEY', '__proto__']);
  expect(monitor?.version).toBe(version + 1n);
  await client.updateMonitor({ id, secrets: { set: [{ name: 'KEY', value: 'other' }], removed: ['A', '__proto__'] } });
  expect(await published(id)).toEqual({ KEY: 'other' });
  await client.updateMonitor({ id, name: 'Store' });
  expect(await published(id)).toEqual({ KEY: 'other' });
});

test('a monitor can not be created or updated if its config would refer to a missing secret', async () => {
  const missing = {
    kind: 'invalid',
    fields: { 'config.headers.Authorization': ['refers to the secret KEY, which this monitor does not have'] },
  };
  const http = { name: 'Shop', checkType: CheckType.HTTP };
  await expect(client.createMonitor({ ...http, configJson })).rejects.toMatchObject(missing);
  const { id } = await createKeyed();
  await expect(client.updateMonitor({ id, secrets: { removed: ['KEY'] } })).rejects.toMatchObject(missing);
  expect(await published(id)).toEqual({ KEY: VALUE });

  const other = JSON.stringify({ url: 'https://example.com/', body: '{{KEY}}{{OTHER}}' });
  await expect(client.updateMonitor({ id, configJson: other })).rejects.toMatchObject({
    fields: { 'config.body': ['refers to the secret OTHER, which this monitor does not have'] },
  });
  const plain = JSON.stringify({ url: 'https://example.com/' });
  const { monitor } = await client.updateMonitor({ id, configJson: plain, secrets: { removed: ['KEY'] } });
  expect(monitor?.secretNames).toEqual([]);
  expect(await published(id)).toEqual({});
});

test('all invalid fields are reported at once, including fields of the config', async () => {
  const refused = client.createMonitor({
    name: '',
    checkType: CheckType.TCP,
    configJson: '{"host":"a"}',
    secrets: keyed,
  });
  await expect(refused).rejects.toMatchObject({
    fields: {
      name: ['is required'],
      'config.port': ['is required'],
      secrets: ['are for http and synthetic monitors only; this one is of type tcp'],
    },
  });
});

test('secrets are sealed at rest, can be opened only for their monitor, and are hidden from other organizations', async () => {
  const mine = await createKeyed();
  await using tables = await openDatabase({ url: fixture.database.url, entities: [], migrations: [] });
  const sealed = (scope: { organizationId: string }) =>
    tables.transaction(scope, (tx) => tx.query<{ sealed: string }>('select sealed from monitor_secrets'));
  expect(JSON.stringify(await sealed({ organizationId }))).not.toContain(VALUE);
  expect(await sealed({ organizationId: v7() })).toEqual([]);

  // Sealed secrets that are copied to another monitor's row can't be opened.
  const { monitor: thief } = await client.createMonitor({
    name: 'Thief',
    checkType: CheckType.HTTP,
    configJson,
    secrets: { set: [{ name: 'KEY', value: 'x' }] },
  });
  const id = thief?.id ?? '';
  await tables.transaction('every organization', (tx) =>
    tx.query(
      'update monitor_secrets set sealed = (select sealed from monitor_secrets where monitor_id = $1) where monitor_id = $2',
      [mine.id, id],
    ),
  );
  const { configs } = await checker.getCheckConfigs({ monitorIds: [id, mine.id] });
  expect(configs.map(({ monitorId }) => monitorId)).toEqual([mine.id]);
});

test('deleting a monitor deletes its secrets', async () => {
  const { id } = await createKeyed();
  await client.deleteMonitor({ id });
  await using tables = await openDatabase({ url: fixture.database.url, entities: [], migrations: [] });
  const left = await tables.transaction('every organization', (tx) =>
    tx.query('select from monitor_secrets where monitor_id = $1', [id]),
  );
  expect(left).toEqual([]);
});
