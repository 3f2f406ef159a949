import { openDatabase } from '@tocsin/database';
import { appendEvents, outboxMigrations, outgoingEvent, startRelay } from '@tocsin/outbox';
import {
  OrganizationDeletedSchema,
  OrganizationResumedSchema,
  OrganizationStoppedSchema,
} from '@tocsin/proto/identity/v1/events';
import { CheckType } from '@tocsin/proto/monitor/v1/monitor';
import { connectNats, createRuntime } from '@tocsin/runtime';
import { eventually, tablesContaining, testDatabase } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { CONFIG, monitorFixture, publishedChanges, startChecker } from './start-monitor.ts';

const fixture = await monitorFixture(['local']);
const { clientOf } = await fixture.start();
const checker = await startChecker(fixture.nats, 'local', () => 'pass');

const stack = new AsyncDisposableStack();
stack.use(fixture);
const identity = stack.use(await testDatabase('identity'));
const outbox = stack.use(await openDatabase({ url: identity.url, entities: [], migrations: outboxMigrations }));
const runtime = createRuntime('identity', { logLevel: 'error' });
const { connection } = stack.use(await connectNats(fixture.natsUrl, runtime));
stack.use(startRelay({ databaseUrl: identity.url, nats: connection, runtime }));
afterAll(() => stack.disposeAsync());

type Schema = typeof OrganizationStoppedSchema | typeof OrganizationResumedSchema | typeof OrganizationDeletedSchema;

const publish = (schema: Schema, organizationId: string) =>
  outbox.transaction('every organization', (tx) =>
    appendEvents(tx, [
      outgoingEvent<typeof schema>(schema, { organizationId }, { organizationId, aggregateId: organizationId }),
    ]),
  );

async function organization() {
  const organizationId = v7();
  const client = await clientOf(organizationId);
  const { monitor: checked } = await client.createMonitor({
    name: 'Shop',
    checkType: CheckType.HTTP,
    configJson: CONFIG,
    intervalSeconds: 30,
    confirmDownMinutes: 0,
  });
  const { monitor: disabled } = await client.createMonitor({
    name: 'Off',
    checkType: CheckType.HTTP,
    configJson: CONFIG,
    enabled: false,
  });
  const { monitor: job } = await client.createMonitor({
    name: 'Backup',
    checkType: CheckType.HEARTBEAT,
    configJson: JSON.stringify({ expected_interval: 10, consecutive_misses: 1 }),
    confirmDownMinutes: 0,
  });
  const ids = [checked, disabled, job].map((monitor) => monitor?.id ?? '') as [string, string, string];
  // The state is read from the tables, because credentials of a stopped organization are refused.
  const read = <Row>(sql: string, id: string) =>
    fixture.tables.transaction('every organization', (tx) => tx.query<Row>(sql, [id]));
  const state = async (id: string) =>
    (await read<{ state: string }>('select state from monitor_state where monitor_id = $1', id))[0]?.state;
  const enabled = async () => {
    const sql = 'select name, enabled from monitor where organization_id = $1';
    const rows = await read<{ name: string; enabled: boolean }>(sql, organizationId);
    return Object.fromEntries(rows.map(({ name, enabled: is }) => [name, is]));
  };
  const jobs = () => checker.seen.filter(({ monitorId }) => monitorId === ids[0]).length;
  return { organizationId, ids, state, enabled, jobs };
}

test('the monitors of a stopped organization are not checked and do not change state until it resumes', async () => {
  const acme = await organization();
  const other = await organization();
  const [checked, , job] = acme.ids;
  await eventually(async () => expect(await acme.state(checked)).toBe('up'));
  await publish(OrganizationStoppedSchema, acme.organizationId);
  await eventually(async () => expect(await acme.enabled()).toEqual({ Shop: false, Off: false, Backup: false }));
  const [jobs, othersJobs] = [acme.jobs(), other.jobs()];
  // This is longer than a monitor takes to become stale or to miss a ping.
  await fixture.pass(400_000);
  await eventually(() => expect(other.jobs()).toBeGreaterThan(othersJobs));
  // Advance by only a few seconds. If the service processes a deadline much too late, it assumes that the service was
  // not running, and drops the deadline.
  fixture.clock.advance(10_000);
  await eventually(async () => expect(await other.state(other.ids[2])).toBe('down'));
  expect(acme.jobs()).toBe(jobs);
  expect([await acme.state(checked), await acme.state(job)]).toEqual(['up', undefined]);
  const changes = (await publishedChanges(fixture.nats)).filter(({ monitor }) => monitor?.id === job);
  expect(changes).toEqual([]);

  await publish(OrganizationResumedSchema, acme.organizationId);
  await eventually(async () => expect(await acme.enabled()).toEqual({ Shop: true, Off: false, Backup: true }));
  await eventually(() => expect(acme.jobs()).toBeGreaterThan(jobs));
  await eventually(async () => expect(await acme.state(checked)).toBe('up'));
  expect(await tablesContaining(fixture.database.url, acme.organizationId)).not.toContain('stopped_organization');
});

test('a deleted organization leaves no row, and another organization keeps its rows', async () => {
  const [gone, stays] = [await organization(), await organization()];
  for (const { ids, state } of [gone, stays]) {
    await eventually(async () => expect(await state(ids[0])).toBe('up'));
  }
  const tables = (text: string) => tablesContaining(fixture.database.url, text);
  await eventually(async () => expect(await tables(gone.organizationId)).toContain('transition'));
  await publish(OrganizationStoppedSchema, gone.organizationId);
  await publish(OrganizationDeletedSchema, gone.organizationId);
  // Rows remain in published_event, because the relay deletes published events only after an hour.
  const left = ['inbox', 'published_event', 'stopped_organization'];
  await eventually(async () => expect(await tables(gone.organizationId)).toEqual(left));
  const ofEvents = ['outbox_sequence', 'published_event'];
  for (const id of gone.ids) expect((await tables(id)).filter((name) => !ofEvents.includes(name))).toEqual([]);
  expect(await tables(stays.organizationId)).toEqual(expect.arrayContaining(['monitor', 'transition', 'heartbeat']));
});
