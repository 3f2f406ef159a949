import { openDatabase } from '@tocsin/database';
import { HeartbeatService, SignalKind, SignalOutcome } from '@tocsin/proto/monitor/v1/heartbeat';
import { CheckType, MonitorState } from '@tocsin/proto/monitor/v1/monitor';
import { createRpcClient, createTransport } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { monitorFixture, publishedChanges } from './start-monitor.ts';

const fixture = await monitorFixture();
const first = await fixture.start();
const second = await fixture.start(); // a second replica shares the work of every test in this file
afterAll(() => fixture[Symbol.asyncDispose]());

const { PING, FAIL, START } = SignalKind;
const { HEARD, NOT_FOUND, RATE_LIMITED, LOCKED } = SignalOutcome;
const gatewayToken = await fixture.identity.serviceToken('gateway');

const gatewayOf = ({ service }: Awaited<ReturnType<typeof fixture.start>>) =>
  createRpcClient(
    HeartbeatService,
    createTransport({
      url: `http://127.0.0.1:${service.rpcPort}`,
      service: 'monitor',
      tokens: { token: async () => gatewayToken },
    }),
  );
const gateways = [gatewayOf(first), gatewayOf(second)] as const;

/**
 * Creates a heartbeat monitor that expects a ping every 10 s and goes down after one missed ping, without confirmation.
 */
async function createJob(settings: object = {}, config: object = { expected_interval: 10, consecutive_misses: 1 }) {
  const client = await first.clientOf(v7());
  const { monitor } = await client.createMonitor({
    name: 'Backup',
    checkType: CheckType.HEARTBEAT,
    configJson: JSON.stringify(config),
    confirmDownMinutes: 0,
    confirmUpMinutes: 0,
    ...settings,
  });
  if (!monitor) throw new Error('no monitor');
  const { id, heartbeatToken: token } = monitor;
  const sendOnce = async (kind: SignalKind = PING, gateway = gateways[0]) => {
    const { answers: responses } = await gateway.recordSignals({ signals: [{ token, kind }] });
    return responses[0];
  };
  /** Sends a signal, and resends it while the monitor is locked, as the gateway does. */
  const send = (kind: SignalKind = PING, gateway = gateways[0]) =>
    eventually(async () => {
      const response = await sendOnce(kind, gateway);
      if (response?.outcome === LOCKED) throw new Error('locked');
      return response;
    });
  const state = async () => (await client.getMonitorState({ id })).state;
  const becomes = (expected: MonitorState) => eventually(async () => expect(await state()).toBe(expected));
  const changes = async () => (await publishedChanges(fixture.nats)).filter((change) => change.monitor?.id === id);
  return { client, monitor, id, token, send, state, becomes, changes };
}

test('each heartbeat monitor has a distinct random token, and other monitors have no token', async () => {
  const { token } = await createJob();
  expect(token).toMatch(/^[A-Za-z0-9_-]{32}$/);
  expect((await createJob()).token).not.toBe(token);
  const client = await first.clientOf(v7());
  const { monitor } = await client.createMonitor({
    name: 'Port',
    checkType: CheckType.TCP,
    configJson: '{"host":"db.example.com","port":5432}',
  });
  expect(monitor?.heartbeatToken).toBe('');
});

test('the first ping moves the monitor to up before the response, and one event is published', async () => {
  const { send, changes } = await createJob();
  expect(await send()).toMatchObject({ outcome: HEARD, state: MonitorState.UP });
  await eventually(async () => expect(await changes()).toHaveLength(1));
  expect((await changes())[0]).toMatchObject({ state: MonitorState.UP, explanation: 'a ping came' });
});

test('a monitor that was never pinged goes down at its deadline, and a ping recovers it', async () => {
  const { send, state, becomes, changes } = await createJob();
  fixture.clock.advance(9_999);
  expect(await state()).toBe(MonitorState.UNSPECIFIED);
  fixture.clock.advance(1);
  await becomes(MonitorState.DOWN);
  expect(await send()).toMatchObject({ outcome: HEARD, state: MonitorState.UP });
  await eventually(async () => expect(await changes()).toHaveLength(2));
  const words = 'no ping for 10 s, expected every 10 s';
  expect((await changes())[0]).toMatchObject({ state: MonitorState.DOWN, error: words, explanation: words });
});

test('a reported failure takes a monitor down at once, and a start signal does not change the state', async () => {
  const { send } = await createJob();
  expect(await send(START)).toMatchObject({ outcome: HEARD, state: MonitorState.PENDING });
  expect(await send(PING)).toMatchObject({ state: MonitorState.UP });
  expect(await send(FAIL)).toMatchObject({ state: MonitorState.DOWN });
});

test('several signals in one call are applied in order', async () => {
  const { token } = await createJob();
  const { answers: responses } = await gateways[0].recordSignals({
    signals: [
      { token, kind: PING },
      { token: 'x'.repeat(32), kind: PING },
      { token, kind: FAIL },
    ],
  });
  expect(responses).toMatchObject([
    { outcome: HEARD, state: MonitorState.UP },
    { outcome: NOT_FOUND },
    { outcome: HEARD, state: MonitorState.DOWN },
  ]);
});

test('each response names the organization whose monitor has the token', async () => {
  const [one, other] = [await createJob(), await createJob()];
  const tokens = [one.token, 'y'.repeat(32), other.token, ...Array(6).fill(one.token)];
  const { answers } = await gateways[0].recordSignals({ signals: tokens.map((token) => ({ token, kind: PING })) });
  const ofOne = one.monitor.organizationId;
  expect(answers.slice(0, 3)).toMatchObject([
    { outcome: HEARD, organizationId: ofOne },
    { outcome: NOT_FOUND, organizationId: '' },
    { outcome: HEARD, organizationId: other.monitor.organizationId },
  ]);
  expect(answers.at(-1)).toMatchObject({ outcome: RATE_LIMITED, organizationId: ofOne });
});

test('a monitor accepts six pings per minute, counted across all replicas', async () => {
  const { send } = await createJob();
  const outcomes = await Promise.all(Array.from({ length: 20 }, (_, n) => send(PING, gateways[n % 2 === 0 ? 0 : 1])));
  expect(outcomes.filter((response) => response?.outcome === HEARD)).toHaveLength(6);
  expect(outcomes.filter((response) => response?.outcome === RATE_LIMITED)).toHaveLength(14);
  fixture.clock.advance(60_000);
  expect(await send()).toMatchObject({ outcome: HEARD });
});

test('a locked monitor does not delay the pings or deadlines of other monitors', async () => {
  const [changed, other, due] = [await createJob(), await createJob(), await createJob()];
  await using tables = await openDatabase({ url: fixture.database.url, entities: [], migrations: [] });
  await tables.transaction('every organization', async (tx) => {
    await tx.query('select from monitor where id = $1 for update', [changed.id]);
    const { answers } = await gateways[0].recordSignals({
      signals: [changed, other].map(({ token }) => ({ token, kind: PING })),
    });
    const { organizationId } = changed.monitor;
    expect(answers).toMatchObject([
      { outcome: LOCKED, organizationId },
      { outcome: HEARD, state: MonitorState.UP },
    ]);
    fixture.clock.advance(10_000);
    await due.becomes(MonitorState.DOWN);
    expect(await changed.state()).toBe(MonitorState.UNSPECIFIED);
  });
  await changed.becomes(MonitorState.DOWN);
  expect(await changed.send()).toMatchObject({ outcome: HEARD, state: MonitorState.UP });
});

test('a disabled monitor ignores pings, and gets a new deadline when it is enabled', async () => {
  const { client, id, send, state, becomes } = await createJob();
  await send(FAIL);
  await client.updateMonitor({ id, enabled: false });
  expect(await send()).toMatchObject({ outcome: HEARD, state: MonitorState.DOWN });
  fixture.clock.advance(3_600_000);
  await client.updateMonitor({ id, enabled: true });
  expect(await state()).toBe(MonitorState.PENDING);
  fixture.clock.advance(10_000);
  await becomes(MonitorState.DOWN);
});

test('a change to the ping interval sets a new deadline, but a change to the name does not', async () => {
  const { client, id, state, becomes } = await createJob();
  fixture.clock.advance(8_000);
  await client.updateMonitor({ id, configJson: '{"expected_interval":60,"consecutive_misses":1}' });
  fixture.clock.advance(50_000);
  await client.updateMonitor({ id, name: 'Nightly backup' });
  expect(await state()).toBe(MonitorState.UNSPECIFIED);
  fixture.clock.advance(10_000);
  await becomes(MonitorState.DOWN);
});

test('a change to the ping interval ends the confirmation of earlier failures', async () => {
  const create = () => createJob({ confirmDownMinutes: 5 }, { expected_interval: 600, consecutive_misses: 1 });
  const [changed, control] = [await create(), await create()];
  for (const { send } of [changed, control]) {
    await send();
    await send(FAIL);
  }
  const configJson = '{"expected_interval":3600,"consecutive_misses":1}';
  await changed.client.updateMonitor({ id: changed.id, configJson });
  fixture.clock.advance(301_000);
  await control.becomes(MonitorState.DOWN);
  expect(await changed.state()).toBe(MonitorState.UP);
});

test('the history contains pings, failures, missed pings and the run times of jobs', async () => {
  const { id, send, becomes } = await createJob();
  await send(START);
  fixture.clock.advance(2_500);
  await send(PING);
  fixture.clock.advance(1_000);
  await send(FAIL);
  fixture.clock.advance(10_000);
  await becomes(MonitorState.DOWN);
  await using tables = await openDatabase({ url: fixture.database.url, entities: [], migrations: [] });
  const history = () =>
    tables.transaction('every organization', (tx) =>
      tx.query('select region, outcome, error, total_ms from check_result where monitor_id = $1 order by round_at', [
        id,
      ]),
    );
  const error = 'the job reported a failure';
  await eventually(async () =>
    expect(await history()).toEqual([
      { region: 'heartbeat', outcome: 'pass', error: '', total_ms: 2_500 },
      { region: 'heartbeat', outcome: 'fail', error, total_ms: null },
      { region: 'heartbeat', outcome: 'timeout', error, total_ms: null },
    ]),
  );
});

test('pings count as missed only while a replica is running', async () => {
  await using apart = await monitorFixture();
  const before = await apart.start();
  const client = await before.clientOf(v7());
  const { monitor } = await client.createMonitor({
    name: 'Backup',
    checkType: CheckType.HEARTBEAT,
    configJson: '{"expected_interval":10,"consecutive_misses":1}',
    confirmDownMinutes: 0,
  });
  const { id = '', organizationId = '', heartbeatToken: token = '' } = monitor ?? {};
  const ping = { signals: [{ token, kind: PING }] };
  const tokens = { token: async () => await apart.identity.serviceToken('gateway') };
  const gateway = (port: number) =>
    createRpcClient(HeartbeatService, createTransport({ url: `http://127.0.0.1:${port}`, service: 'monitor', tokens }));
  await gateway(before.service.rpcPort).recordSignals(ping);
  await before.service[Symbol.asyncDispose]();

  apart.clock.advance(3_600_000);
  const after = await apart.start();
  const again = await after.clientOf(organizationId);
  const state = async () => (await again.getMonitorState({ id })).state;
  // The deadline of another monitor shows that deadlines were processed.
  const { monitor: other } = await again.createMonitor({
    name: 'Other',
    checkType: CheckType.HEARTBEAT,
    configJson: '{"expected_interval":10,"consecutive_misses":1}',
    confirmDownMinutes: 0,
  });
  await eventually(async () => expect(await apart.isDue(id)).toBe(false));
  expect(await state()).toBe(MonitorState.UP);
  apart.clock.advance(10_000);
  await eventually(async () =>
    expect((await again.getMonitorState({ id: other?.id ?? '' })).state).toBe(MonitorState.DOWN),
  );
  await eventually(async () => expect(await state()).toBe(MonitorState.DOWN));
});

test('only the gateway can send pings, and heartbeat monitors have no on-demand checks', async () => {
  const { client, id, token } = await createJob();
  const checker = await fixture.identity.serviceToken('checker');
  const stranger = createRpcClient(
    HeartbeatService,
    createTransport({
      url: `http://127.0.0.1:${first.service.rpcPort}`,
      service: 'monitor',
      tokens: { token: async () => checker },
    }),
  );
  await expect(stranger.recordSignals({ signals: [{ token, kind: PING }] })).rejects.toMatchObject({
    kind: 'forbidden',
  });
  await expect(client.checkMonitor({ id })).rejects.toMatchObject({
    fields: { check_type: ["heartbeat monitors can't be checked from here: they wait to be pinged"] },
  });
});

test('a token is stored hashed and sealed, and a plain token from an earlier version is sealed at startup and still works', async () => {
  await using apart = await monitorFixture();
  const before = await apart.start();
  const client = await before.clientOf(v7());
  const { monitor } = await client.createMonitor({ name: 'Backup', checkType: CheckType.HEARTBEAT });
  const { id = '', organizationId = '', heartbeatToken: token = '' } = monitor ?? {};
  const stored = () =>
    apart.tables.transaction('every organization', (tx) =>
      tx.query<{ row: string }>('select to_jsonb(monitor)::text as row from monitor where id = $1', [id]),
    );
  expect(token).toMatch(/^[\w-]{32}$/);
  expect((await stored())[0]?.row).not.toContain(token);
  await apart.tables.transaction('every organization', (tx) =>
    tx.query(
      'update monitor set heartbeat_token = $2, heartbeat_token_hash = null, heartbeat_token_sealed = null where id = $1',
      [id, token],
    ),
  );
  await before.service[Symbol.asyncDispose]();

  const after = await apart.start();
  expect((await stored())[0]?.row).not.toContain(token);
  const again = await after.clientOf(organizationId);
  expect((await again.getMonitor({ id })).monitor?.heartbeatToken).toBe(token);
  expect((await again.listMonitors({})).monitors[0]?.heartbeatToken).toBe(token);
  const tokens = { token: async () => await apart.identity.serviceToken('gateway') };
  const url = `http://127.0.0.1:${after.service.rpcPort}`;
  const gateway = createRpcClient(HeartbeatService, createTransport({ url, service: 'monitor', tokens }));
  const { answers: responses } = await gateway.recordSignals({ signals: [{ token, kind: PING }] });
  expect(responses).toMatchObject([{ outcome: HEARD }]);
});

test('a token over its rate limit is rejected even while its monitor is locked', async () => {
  const { send, id } = await createJob();
  for (let count = 0; count < 6; count += 1) expect(await send()).toMatchObject({ outcome: HEARD });
  await fixture.tables.transaction('every organization', async (tx) => {
    await tx.query('select from monitor where id = $1 for update', [id]);
    expect(await send()).toMatchObject({ outcome: RATE_LIMITED });
  });
});
