import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Disruption, DisruptionStatus, DisruptionType } from '@tocsin/proto/disruption/v1/disruption';
import {
  DisruptionCreatedSchema,
  DisruptionResolvedSchema,
  DisruptionUpdatedSchema,
} from '@tocsin/proto/disruption/v1/events';
import { ComponentStatus } from '@tocsin/proto/statuspage/v1/component_status';
import { eventually, manualClock } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { aMonitor, disruptionFixture, SENDER } from './start-disruption.ts';

const HOUR = 3_600_000;
const clock = manualClock('2026-01-01T10:00:00Z');

/** Called with the id of the monitor before its components are returned. */
let beforeComponents = async (_monitorId: string): Promise<void> => {};

/** Each monitor is linked to one component. The component has the monitor's id and belongs to an arbitrary page. */
const fixture = await disruptionFixture({
  now: clock.now,
  whileDown: async (_organizationId, monitorId) => {
    await beforeComponents(monitorId);
    return [{ id: monitorId, name: 'API', statusPageId: monitorId, status: 'major_outage' }];
  },
  namesOnPage: async (_organizationId, _statusPageId, ids) => new Map(ids.map((id) => [id, 'API'])),
});
const { rpc } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

const inHours = (hours: number) => timestampFromDate(new Date(clock.now().getTime() + hours * HOUR));
const maintenance = { title: 'New disks', type: DisruptionType.MAINTENANCE };

function working(componentId: string) {
  const components = [{ id: componentId, status: ComponentStatus.UNDER_MAINTENANCE }];
  return { ...maintenance, statusPageId: v7(), components: { components } };
}

async function have(organizationId: string, ...statuses: DisruptionStatus[]): Promise<Disruption[]> {
  const as = await fixture.as(organizationId);
  return eventually(async () => {
    const { disruptions } = await rpc.listDisruptions({}, as);
    expect(disruptions.map(({ status }) => status)).toEqual(statuses);
    return disruptions;
  });
}

test('maintenance starts once and completes once, automatically', async () => {
  const organizationId = v7();
  const as = await fixture.as(organizationId);
  const times = { startedAt: inHours(1), endsAt: inHours(2) };
  const { disruption } = await rpc.createDisruption({ ...maintenance, ...times }, as);
  expect(disruption).toMatchObject({ status: DisruptionStatus.SCHEDULED, ...times });

  clock.advance(HOUR);
  const [started] = await have(organizationId, DisruptionStatus.IN_PROGRESS);
  expect(started?.updates).toMatchObject([
    { status: DisruptionStatus.IN_PROGRESS, body: 'Maintenance has begun.', postedBy: SENDER },
    { status: DisruptionStatus.SCHEDULED, postedBy: 'jane@example.com' },
  ]);
  clock.advance(HOUR);
  const [completed] = await have(organizationId, DisruptionStatus.COMPLETED);
  expect(completed).toMatchObject({ resolvedAt: inHours(0), updates: [{ postedBy: SENDER }, {}, {}] });
  await eventually(async () =>
    expect((await fixture.published(disruption?.id ?? '')).map(({ type }) => type)).toEqual([
      DisruptionCreatedSchema.typeName,
      DisruptionUpdatedSchema.typeName,
      DisruptionResolvedSchema.typeName,
    ]),
  );
});

test('a monitor that goes down and recovers during maintenance opens no disruption', async () => {
  const monitor = aMonitor();
  const { organizationId } = monitor;
  const as = await fixture.as(organizationId);
  const { disruption } = await rpc.createDisruption(working(monitor.id), as);
  await fixture.publish(monitor.wentDown('2026-01-01T12:00:00Z'));
  await held(organizationId, 1);
  await fixture.publish(monitor.recovered('2026-01-01T12:05:00Z'));
  await held(organizationId, 0);
  await rpc.updateDisruption({ id: disruption?.id ?? '', status: DisruptionStatus.COMPLETED }, as);
  await have(organizationId, DisruptionStatus.COMPLETED);
});

test.each<[string, (id: string, as: Awaited<ReturnType<typeof fixture.as>>) => Promise<unknown>]>([
  ['is completed', (id, as) => rpc.updateDisruption({ id, status: DisruptionStatus.COMPLETED }, as)],
  ['is deleted', (id, as) => rpc.deleteDisruption({ id }, as)],
  ['reaches its planned end', async () => clock.advance(HOUR)],
])(
  'when a maintenance %s, a disruption opens for a monitor that is still down, and starts when the monitor went down',
  async (_, end) => {
    const monitor = aMonitor();
    const { organizationId } = monitor;
    const as = await fixture.as(organizationId);
    const { disruption } = await rpc.createDisruption({ ...working(monitor.id), endsAt: inHours(1) }, as);
    const outageId = v7();
    await fixture.publish(monitor.wentDown('2026-01-01T12:00:00Z', 'status 502', outageId));
    await held(organizationId, 1);
    await end(disruption?.id ?? '', as);
    const opened = await eventually(async () => {
      const { disruptions } = await rpc.listDisruptions({ autoCreated: true }, as);
      expect(disruptions).toHaveLength(1);
      return disruptions[0];
    });
    expect(opened).toMatchObject({
      id: outageId,
      monitorId: monitor.id,
      startedAt: timestampFromDate(new Date('2026-01-01T12:00:00Z')),
      updates: [{ explanation: expect.stringContaining('status 502') }],
    });
    await held(organizationId, 0);
    await fixture.publish(monitor.recovered('2026-01-01T13:00:00Z'));
    await eventually(async () => {
      const { disruptions } = await rpc.listDisruptions({ autoCreated: true }, as);
      expect(disruptions).toMatchObject([{ status: DisruptionStatus.RESOLVED }]);
    });
  },
);

test('if a monitor recovers while its disruption is being opened after a maintenance, the disruption is resolved', async () => {
  const monitor = aMonitor();
  const { organizationId } = monitor;
  const as = await fixture.as(organizationId);
  const { disruption } = await rpc.createDisruption(working(monitor.id), as);
  await fixture.publish(monitor.wentDown('2026-01-01T12:00:00Z'));
  await held(organizationId, 1);

  const opening = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  beforeComponents = async (monitorId) => {
    if (monitorId !== monitor.id) return;
    opening.resolve();
    await answer.promise;
  };
  await rpc.updateDisruption({ id: disruption?.id ?? '', status: DisruptionStatus.COMPLETED }, as);
  await opening.promise;
  await fixture.publish(monitor.recovered('2026-01-01T13:00:00Z'));
  await eventually(async () => {
    // The recovery waits for the transaction that is deleting the row.
    const waiting = `select from pg_locks join pg_stat_activity using (pid)
      where datname = current_database() and locktype = 'transactionid' and not granted`;
    expect(await fixture.tables.transaction('every organization', (tx) => tx.query(waiting))).toHaveLength(1);
  });
  answer.resolve();
  await have(organizationId, DisruptionStatus.RESOLVED, DisruptionStatus.COMPLETED);
});

test('if another outage begins during maintenance, the open disruption of the earlier one is resolved at the end', async () => {
  const monitor = aMonitor();
  const { organizationId } = monitor;
  const as = await fixture.as(organizationId);
  await fixture.publish(monitor.wentDown('2026-01-01T10:00:00Z'));
  await have(organizationId, DisruptionStatus.INVESTIGATING);
  const { disruption } = await rpc.createDisruption(working(monitor.id), as);
  const outageId = v7();
  await fixture.publish(monitor.wentDown('2026-01-01T12:00:00Z', 'status 502', outageId));
  await held(organizationId, 1);
  await have(organizationId, DisruptionStatus.IN_PROGRESS, DisruptionStatus.INVESTIGATING);
  await rpc.updateDisruption({ id: disruption?.id ?? '', status: DisruptionStatus.COMPLETED }, as);
  const { INVESTIGATING, COMPLETED, RESOLVED } = DisruptionStatus;
  const [opened] = await have(organizationId, INVESTIGATING, COMPLETED, RESOLVED);
  expect(opened?.id).toBe(outageId);
});

test('a maintenance that has not started and a maintenance of other components do not suppress disruptions', async () => {
  const monitor = aMonitor();
  const { organizationId } = monitor;
  const as = await fixture.as(organizationId);
  await rpc.createDisruption({ ...working(monitor.id), startedAt: inHours(1) }, as);
  await rpc.createDisruption(working(v7()), as);
  await fixture.publish(monitor.wentDown('2026-01-01T12:00:00Z'));
  await have(organizationId, DisruptionStatus.INVESTIGATING, DisruptionStatus.IN_PROGRESS, DisruptionStatus.SCHEDULED);
});

test('a maintenance does not suppress disruptions of other organizations, and a suppressed disruption is invisible to other organizations', async () => {
  const monitor = aMonitor();
  await rpc.createDisruption(working(monitor.id), await fixture.as(v7()));
  await fixture.publish(monitor.wentDown('2026-01-01T12:00:00Z'));
  await have(monitor.organizationId, DisruptionStatus.INVESTIGATING);

  const other = aMonitor();
  await rpc.createDisruption(working(other.id), await fixture.as(other.organizationId));
  await fixture.publish(other.wentDown('2026-01-01T12:00:00Z'));
  await held(other.organizationId, 1);
  await held(monitor.organizationId, 0);
});

function held(organizationId: string, count: number): Promise<void> {
  return eventually(async () => {
    const rows = await fixture.tables.transaction({ organizationId }, (tx) => tx.query('select from held_down'));
    expect(rows).toHaveLength(count);
  });
}
