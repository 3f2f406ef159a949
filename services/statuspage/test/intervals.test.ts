import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type OutgoingEvent, outgoingEvent } from '@tocsin/outbox';
import { DisruptionStatus } from '@tocsin/proto/disruption/v1/disruption';
import { MonitorDeletedSchema, MonitorStateChangedSchema, MonitorUpdatedSchema } from '@tocsin/proto/monitor/v1/events';
import { MonitorState } from '@tocsin/proto/monitor/v1/monitor';
import { ComponentStatus } from '@tocsin/proto/statuspage/v1/component_status';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { maintainIntervals } from '../src/app/record-statuses.ts';
import { listIntervals, recordStatuses } from '../src/storage/interval-store.ts';
import { aDisruption } from './a-disruption.ts';
import { component, componentsByName, freshSlug, statusPageFixture } from './statuspage-fixture.ts';

const fixture = await statusPageFixture();
const organizationId = v7();
const us = await fixture.as(organizationId);
afterAll(() => fixture[Symbol.asyncDispose]());

async function pageWith(...monitorIds: string[]) {
  const { statusPage } = await fixture.rpc.createStatusPage({ name: 'Acme', slug: freshSlug() }, us);
  const id = statusPage?.id ?? '';
  const entries = [component({ name: 'API', monitors: monitorIds.map((monitorId) => ({ monitorId })) })];
  const tree = componentsByName((await fixture.rpc.replaceStructure({ id, entries }, us)).statusPage?.entries);
  const componentId = tree.API?.id ?? '';
  const touched = (status: ComponentStatus) => [{ id: componentId, name: 'API', statusPageId: id, status }];
  return { id, componentId, touched };
}

interface Row {
  status: string;
  started_at: Date;
  ended_at: Date | null;
}

function intervalsOf(componentId: string): Promise<Row[]> {
  return fixture.tables.transaction({ organizationId }, (tx) =>
    tx.query<Row>(
      'select status, started_at, ended_at from component_interval where component_id = $1 order by started_at',
      [componentId],
    ),
  );
}

/** Waits until the intervals of a component have exactly these statuses, in this order and without gaps. */
async function expectHistory(componentId: string, statuses: string[]): Promise<Row[]> {
  return eventually(async () => {
    const rows = await intervalsOf(componentId);
    expect(rows.map(({ status }) => status)).toEqual(statuses);
    for (const [index, { ended_at }] of rows.entries()) {
      expect(ended_at).toEqual(rows[index + 1]?.started_at ?? null);
    }
    return rows;
  });
}

function monitorIs(id: string, enabled: boolean, state: MonitorState): OutgoingEvent {
  const monitor = { id, organizationId, enabled, state };
  return outgoingEvent(MonitorUpdatedSchema, { monitor }, { organizationId, aggregateId: id });
}

test('a new component has an open interval, and each status change starts another one', async () => {
  const { componentId, touched } = await pageWith();
  await expectHistory(componentId, ['operational']);
  const disruption = aDisruption(organizationId, touched(ComponentStatus.PARTIAL_OUTAGE));
  await fixture.publish(disruption.created());
  await expectHistory(componentId, ['operational', 'partial_outage']);
  await fixture.publish(disruption.updated({ affectedComponents: touched(ComponentStatus.MAJOR_OUTAGE) }));
  await expectHistory(componentId, ['operational', 'partial_outage', 'major_outage']);
  await fixture.publish(disruption.updated({ title: 'Another title' }), disruption.resolved('2026-01-01T01:00:00Z'));
  await expectHistory(componentId, ['operational', 'partial_outage', 'major_outage', 'operational']);
});

test('the shown status changes when a disruption is deleted, and during a maintenance', async () => {
  const { componentId, touched } = await pageWith();
  const disruption = aDisruption(organizationId, touched(ComponentStatus.MAJOR_OUTAGE));
  await fixture.publish(disruption.created());
  await expectHistory(componentId, ['operational', 'major_outage']);
  await fixture.publish(disruption.deleted());
  await expectHistory(componentId, ['operational', 'major_outage', 'operational']);
  const maintenance = aDisruption(organizationId, touched(ComponentStatus.UNDER_MAINTENANCE), {
    status: DisruptionStatus.IN_PROGRESS,
  });
  await fixture.publish(maintenance.created());
  await expectHistory(componentId, ['operational', 'major_outage', 'operational', 'under_maintenance']);
});

test('the shown status changes when a linked monitor changes or is deleted, and when the links in the structure change', async () => {
  const monitor = fixture.addMonitor(organizationId);
  await fixture.publish(monitorIs(monitor, true, MonitorState.PENDING));
  await eventually(async () => {
    const seen = await fixture.tables.transaction({ organizationId }, (tx) =>
      tx.query('select from monitor_condition where monitor_id = $1', [monitor]),
    );
    expect(seen).toHaveLength(1);
  });
  const { id, componentId } = await pageWith(monitor);
  await expectHistory(componentId, ['no_data']);
  await fixture.publish(monitorIs(monitor, true, MonitorState.UP));
  await expectHistory(componentId, ['no_data', 'operational']);
  const before = { id: monitor, organizationId, enabled: true, state: MonitorState.STALE };
  const stale = { monitor: before, previousState: MonitorState.UP };
  await fixture.publish(outgoingEvent(MonitorStateChangedSchema, stale, { organizationId, aggregateId: monitor }));
  await expectHistory(componentId, ['no_data', 'operational', 'no_data']);
  await fixture.publish(monitorIs(monitor, false, MonitorState.STALE));
  await expectHistory(componentId, ['no_data', 'operational', 'no_data', 'not_monitored']);
  const unlinked = component({ id: componentId, name: 'API' });
  await fixture.rpc.replaceStructure({ id, entries: [unlinked] }, us);
  await expectHistory(componentId, ['no_data', 'operational', 'no_data', 'not_monitored', 'operational']);
  const linked = component({ id: componentId, name: 'API', monitors: [{ monitorId: monitor }] });
  await fixture.rpc.replaceStructure({ id, entries: [linked] }, us);
  const history = ['no_data', 'operational', 'no_data', 'not_monitored', 'operational', 'not_monitored', 'operational'];
  await expectHistory(componentId, history.slice(0, -1));
  const deleted = outgoingEvent(MonitorDeletedSchema, { monitor: before }, { organizationId, aggregateId: monitor });
  await fixture.publish(deleted);
  await expectHistory(componentId, history);
});

test('statuses that are recorded late, twice or at the same time create no empty or overlapping intervals', async () => {
  const { componentId } = await pageWith();
  const [first] = await expectHistory(componentId, ['operational']);
  const began = first?.started_at.getTime() ?? 0;
  const record = (status: 'operational' | 'major_outage' | 'partial_outage', afterMs: number) =>
    fixture.tables.transaction({ organizationId }, (tx) =>
      recordStatuses(tx, organizationId, [{ componentId, status }], new Date(began + afterMs)),
    );
  await record('major_outage', 60_000);
  await record('major_outage', 90_000);
  await expectHistory(componentId, ['operational', 'major_outage']);
  await record('partial_outage', 60_000);
  await expectHistory(componentId, ['operational', 'partial_outage']);
  await record('operational', 30_000);
  await expectHistory(componentId, ['operational', 'operational']);
  await record('major_outage', 60_001);
  const rows = await expectHistory(componentId, ['operational', 'operational', 'major_outage']);
  expect(rows.map(({ started_at }) => started_at.getTime() - began)).toEqual([0, 60_000, 60_001]);
});

test('components without intervals get an interval, and intervals are deleted 100 days after their end', async () => {
  const { componentId, touched } = await pageWith();
  await fixture.publish(aDisruption(organizationId, touched(ComponentStatus.MAJOR_OUTAGE)).created());
  await expectHistory(componentId, ['operational', 'major_outage']);
  const now = new Date('2030-01-01T00:00:00Z');
  const daysAgo = (days: number) => new Date(now.getTime() - days * 24 * 3_600_000);
  await fixture.tables.transaction({ organizationId }, async (tx) => {
    await tx.query('delete from component_interval where component_id = $1', [componentId]);
    await tx.query(
      `insert into component_interval (component_id, organization_id, status, started_at, ended_at)
       values ($1, $2, 'operational', $3, $4), ($1, $2, 'no_data', $4, $5)`,
      [componentId, organizationId, daysAgo(102), daysAgo(100.1), daysAgo(99.9)],
    );
  });
  expect(await maintainIntervals({ database: fixture.tables, now: () => now })).toBe('done');
  const rows = await intervalsOf(componentId);
  expect(rows.map(({ status, started_at }) => [status, started_at])).toEqual([
    ['no_data', daysAgo(100.1)],
    ['major_outage', now],
  ]);
});

test('a component with many short intervals hides the open interval of no other component', async () => {
  const { id, componentId } = await pageWith();
  const entries = [component({ id: componentId, name: 'API' }), component({ name: 'Flapping' })];
  const tree = componentsByName((await fixture.rpc.replaceStructure({ id, entries }, us)).statusPage?.entries);
  const flapping = tree.Flapping?.id ?? '';
  const key = { organizationId, pageId: id };
  const intervals = await fixture.tables.transaction({ organizationId }, async (tx) => {
    await tx.query(
      `insert into component_interval (component_id, organization_id, status, started_at, ended_at)
       select $1, $2, 'degraded_performance', now() + n * interval '1 second', now() + (n + 1) * interval '1 second'
       from generate_series(1, 20000) n`,
      [flapping, organizationId],
    );
    return listIntervals(tx, key, new Date(0));
  });
  expect(intervals.get(componentId)).toMatchObject([{ status: 'operational', endedAt: undefined }]);
  expect(intervals.get(flapping)).toHaveLength(19_999);
});

test('a disruption that is recorded after it has ended adds no interval, and is stored with the status from when it was open', async () => {
  const { componentId, touched } = await pageWith();
  const over = {
    status: DisruptionStatus.RESOLVED,
    resolvedAt: timestampFromDate(new Date('2026-01-01T01:00:00Z')),
    affectedComponents: touched(ComponentStatus.OPERATIONAL).map((one) => ({
      ...one,
      openStatus: ComponentStatus.DEGRADED_PERFORMANCE,
    })),
  };
  const recorded = aDisruption(organizationId, [], over);
  await fixture.publish(recorded.created());
  await eventually(async () => {
    const rows = await fixture.tables.transaction({ organizationId }, (tx) =>
      tx.query('select status from disruption_component where component_id = $1', [componentId]),
    );
    expect(rows).toEqual([{ status: 'degraded_performance' }]);
  });
  await expectHistory(componentId, ['operational']);
});
