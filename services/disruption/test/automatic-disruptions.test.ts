import { setTimeout as sleep } from 'node:timers/promises';
import { fromBinary } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { jetstream } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import { ServiceError } from '@tocsin/errors';
import { eventSubject, outgoingEvent } from '@tocsin/outbox';
import {
  AutomaticText,
  type Disruption,
  DisruptionImpact,
  DisruptionStatus,
} from '@tocsin/proto/disruption/v1/disruption';
import {
  DisruptionCreatedSchema,
  DisruptionResolvedSchema,
  DisruptionUpdatedSchema,
} from '@tocsin/proto/disruption/v1/events';
import { DisableReason } from '@tocsin/proto/monitor/v1/events';
import { ComponentStatus } from '@tocsin/proto/statuspage/v1/component_status';
import { PageUpdatedSchema } from '@tocsin/proto/statuspage/v1/events';
import { eventually } from '@tocsin/testing';
import { isId } from '@tocsin/text';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import type { Components } from '../src/app/ports.ts';
import type { AffectedComponent } from '../src/domain/component.ts';
import { aMonitor, disruptionFixture, onPageOf, SENDER } from './start-disruption.ts';

const links = new Map<string, AffectedComponent[]>();
let asked = 0;
let away = false;

let beforeLinks = async (_monitorId: string): Promise<void> => {};
let beforePage = async (_statusPageId: string): Promise<void> => {};

const linksOf: Components['whileDown'] = async (_organizationId, monitorId) => links.get(monitorId) ?? [];
const linksOfPage = onPageOf(linksOf);

const fixture = await disruptionFixture({
  async whileDown(organizationId, monitorId) {
    asked += 1;
    if (away) throw new ServiceError('unavailable', 'statuspage is unavailable');
    const read = await linksOf(organizationId, monitorId);
    await beforeLinks(monitorId);
    return read;
  },
  async onPageWhileDown(organizationId, statusPageId, monitorIds) {
    await beforePage(statusPageId);
    return linksOfPage(organizationId, statusPageId, monitorIds);
  },
});
afterAll(() => fixture[Symbol.asyncDispose]());

async function listOf(organizationId: string): Promise<Disruption[]> {
  return (await fixture.rpc.listDisruptions({}, await fixture.as(organizationId))).disruptions;
}

/** Waits until the organization has exactly one disruption and its status is `status`. Returns the disruption. */
function theOnly(organizationId: string, status: DisruptionStatus): Promise<Disruption> {
  return eventually(async () => {
    const found = await listOf(organizationId);
    expect(found.map((disruption) => disruption.status)).toEqual([status]);
    const [only] = found;
    if (!only) throw new Error('no disruption');
    return only;
  });
}

test('a monitor that goes down and recovers opens one disruption and resolves it', async () => {
  const monitor = aMonitor({ name: 'Shop' });
  links.set(monitor.id, [
    { id: v7(), name: 'API', statusPageId: v7(), status: 'partial_outage' },
    { id: v7(), name: 'Checkout', statusPageId: v7(), status: 'major_outage' },
  ]);
  const outageId = v7();
  await fixture.publish(monitor.wentDown('2026-01-01T10:00:00Z', '1 of 1 regions failed: status 502', outageId));

  const open = await theOnly(monitor.organizationId, DisruptionStatus.INVESTIGATING);
  expect(open).toMatchObject({
    id: outageId,
    title: 'Shop is down',
    impact: DisruptionImpact.CRITICAL,
    autoCreated: true,
    monitorId: monitor.id,
    organizationId: monitor.organizationId,
  });
  expect(open.startedAt && timestampDate(open.startedAt)).toEqual(new Date('2026-01-01T10:00:00Z'));
  expect(open.resolvedAt).toBeUndefined();
  expect(open.affectedComponents.map(({ name, status }) => [name, status])).toEqual([
    ['Checkout', ComponentStatus.MAJOR_OUTAGE],
    ['API', ComponentStatus.PARTIAL_OUTAGE],
  ]);
  expect(open.updates).toHaveLength(1);
  expect(open.updates[0]).toMatchObject({
    postedBy: SENDER,
    body: 'Shop is not working as expected. We are investigating.',
    explanation: '1 of 1 regions failed: status 502',
    automatic: true,
  });

  await fixture.publish(monitor.recovered('2026-01-01T12:05:00Z'));
  const resolved = await theOnly(monitor.organizationId, DisruptionStatus.RESOLVED);
  expect(resolved.id).toBe(open.id);
  expect(resolved.resolvedAt && timestampDate(resolved.resolvedAt)).toEqual(new Date('2026-01-01T12:05:00Z'));
  expect(resolved.affectedComponents.map(({ status }) => status)).toEqual([
    ComponentStatus.OPERATIONAL,
    ComponentStatus.OPERATIONAL,
  ]);
  expect(resolved.updates.map(({ status }) => status)).toEqual([
    DisruptionStatus.RESOLVED,
    DisruptionStatus.INVESTIGATING,
  ]);
  expect(resolved.updates[0]?.body).toContain('down for 2 h 5 min');

  const events = await eventually(async () => {
    const found = await fixture.published(open.id);
    expect(found.map(({ type }) => type)).toEqual([
      DisruptionCreatedSchema.typeName,
      DisruptionResolvedSchema.typeName,
    ]);
    return found;
  });
  const last = fromBinary(DisruptionResolvedSchema, events[1]?.data ?? new Uint8Array()).disruption;
  expect(last).toEqual(resolved);
});

test('an event without an outage id also opens a disruption, and leaves an open one', async () => {
  const monitor = aMonitor();
  await fixture.publish(monitor.wentDown('2026-01-01T10:00:00Z', 'status 502', ''));
  expect(isId((await theOnly(monitor.organizationId, DisruptionStatus.INVESTIGATING)).id)).toBe(true);
  await fixture.publish(
    monitor.wentDown('2026-01-01T10:01:00Z', 'status 502', ''),
    monitor.recovered('2026-01-01T10:05:00Z'),
  );
  expect((await theOnly(monitor.organizationId, DisruptionStatus.RESOLVED)).updates).toHaveLength(2);
});

test('repeated down events and duplicate messages open exactly one disruption', async () => {
  const monitor = aMonitor();
  const outageId = v7();
  const down = monitor.wentDown('2026-01-01T10:00:00Z', 'status 502', outageId);
  await fixture.publish(down, monitor.wentDown('2026-01-01T10:01:00Z', 'status 502', outageId));
  await fixture.publish(monitor.wentDown('2026-01-01T10:02:00Z', 'status 502', outageId));
  // Publish the same event again with another message id, which the stream does not detect as a duplicate.
  const again = headers();
  again.set('Nats-Msg-Id', down.id);
  again.set('Tocsin-Type', down.type);
  again.set('Tocsin-Organization', down.organizationId);
  again.set('Tocsin-Aggregate', down.aggregateId);
  again.set('Tocsin-Sequence', '1');
  again.set('Tocsin-Occurred-At', new Date().toISOString());
  for (const msgID of [v7(), v7()]) {
    await jetstream(fixture.nats).publish(eventSubject(down.type), down.payload, { headers: again, msgID });
  }
  await fixture.publish(monitor.recovered('2026-01-01T10:05:00Z'), monitor.recovered('2026-01-01T10:06:00Z'));

  const { id, updates } = await theOnly(monitor.organizationId, DisruptionStatus.RESOLVED);
  expect(updates).toHaveLength(2);
  await eventually(async () => expect(await fixture.published(id)).toHaveLength(2));

  // A new outage opens a new disruption.
  await fixture.publish(monitor.wentDown('2026-01-01T11:00:00Z'));
  await eventually(async () => {
    const statuses = (await listOf(monitor.organizationId)).map(({ status }) => status);
    expect(statuses).toEqual([DisruptionStatus.INVESTIGATING, DisruptionStatus.RESOLVED]);
  });
});

test('if a monitor goes down while statuspage is unavailable, exactly one disruption is opened when statuspage is available again', async () => {
  const monitor = aMonitor();
  links.set(monitor.id, [{ id: v7(), name: 'API', statusPageId: v7(), status: 'degraded_performance' }]);
  away = true;
  const before = asked;
  await fixture.publish(monitor.wentDown('2026-01-01T10:00:00Z'));
  // An event becomes a dead letter after five non-transient failures. Wait for more attempts than that.
  await eventually(() => expect(asked - before).toBeGreaterThan(5), { timeoutMs: 20_000 });
  expect(await listOf(monitor.organizationId)).toEqual([]);
  away = false;
  const { impact, affectedComponents } = await theOnly(monitor.organizationId, DisruptionStatus.INVESTIGATING);
  expect(impact).toBe(DisruptionImpact.MINOR);
  expect(affectedComponents).toHaveLength(1);
});

test.each([
  ['disabled', (monitor: ReturnType<typeof aMonitor>) => monitor.updated(false), /not being checked at the moment/],
  ['deleted', (monitor: ReturnType<typeof aMonitor>) => monitor.deleted(), /no longer checked/],
])('the disruption of a monitor that is %s is resolved', async (_, end, words) => {
  const monitor = aMonitor();
  await fixture.publish(monitor.wentDown('2026-01-01T10:00:00Z'), monitor.updated(true));
  await theOnly(monitor.organizationId, DisruptionStatus.INVESTIGATING);
  await fixture.publish(end(monitor));
  const { updates } = await theOnly(monitor.organizationId, DisruptionStatus.RESOLVED);
  expect(updates[0]?.body).toMatch(words);
});

test('the disruption of a monitor that the system disables stays open until the monitor is enabled and a check passes', async () => {
  const monitor = aMonitor();
  await fixture.publish(
    monitor.wentDown('2026-01-01T10:00:00Z'),
    monitor.autoDisabled(DisableReason.DOWN_TOO_LONG),
    monitor.startedOver('2026-01-03T12:00:00Z'),
  );
  await eventually(async () => {
    const open = await theOnly(monitor.organizationId, DisruptionStatus.INVESTIGATING);
    expect(open.updates[0]?.body).toBe('Automatic checks were paused after 48 hours; this is updated by hand.');
  });
  await fixture.publish(monitor.recovered('2026-01-03T12:01:00Z'));
  const { updates } = await theOnly(monitor.organizationId, DisruptionStatus.RESOLVED);
  expect(updates).toHaveLength(3);
});

test('editing a monitor that the system disabled leaves its disruption open', async () => {
  const monitor = aMonitor();
  await fixture.publish(
    monitor.wentDown('2026-01-01T10:00:00Z'),
    monitor.autoDisabled(DisableReason.DOWN_TOO_LONG),
    monitor.updated(false, { wasDisabled: true }),
    // The system disables a monitor only once. This event is here to add an entry after the edit was consumed.
    monitor.autoDisabled(DisableReason.TOO_MANY_DISRUPTIONS),
  );
  await eventually(async () => {
    const { updates } = await theOnly(monitor.organizationId, DisruptionStatus.INVESTIGATING);
    expect(updates).toHaveLength(3);
  });
});

test.each<[string, (monitor: ReturnType<typeof aMonitor>, outageId: string) => Promise<unknown>]>([
  [
    'stayed open after the system disabled the monitor',
    (monitor) =>
      fixture.publish(monitor.autoDisabled(DisableReason.DOWN_TOO_LONG), monitor.startedOver('2026-01-03T12:00:00Z')),
  ],
  [
    'was reopened by a person',
    async (monitor, outageId) => {
      await fixture.publish(monitor.recovered('2026-01-01T10:05:00Z'));
      await theOnly(monitor.organizationId, DisruptionStatus.RESOLVED);
      const as = await fixture.as(monitor.organizationId);
      await fixture.rpc.updateDisruption({ id: outageId, status: DisruptionStatus.INVESTIGATING }, as);
    },
  ],
])(
  'the next outage resolves a disruption that %s, and opens its own, which can be acknowledged',
  async (_, keepOpen) => {
    const monitor = aMonitor();
    const as = await fixture.as(monitor.organizationId);
    const [first, next] = [v7(), v7()];
    const closed = expect.arrayContaining([
      expect.objectContaining({ automaticText: AutomaticText.ENDED, body: expect.stringContaining('went down again') }),
    ]);
    await fixture.publish(monitor.wentDown('2026-01-01T10:00:00Z', 'status 502', first));
    await theOnly(monitor.organizationId, DisruptionStatus.INVESTIGATING);
    await keepOpen(monitor, first);
    await fixture.publish(
      monitor.wentDown('2026-01-03T12:05:00Z', 'status 503', next),
      monitor.wentDown('2026-01-03T12:05:00Z', 'status 503', next),
    );
    await eventually(async () =>
      expect(await listOf(monitor.organizationId)).toMatchObject([
        { id: next, status: DisruptionStatus.INVESTIGATING, updates: [{ explanation: 'status 503' }] },
        { id: first, status: DisruptionStatus.RESOLVED, updates: closed },
      ]),
    );
    await fixture.rpc.acknowledgeDisruption({ id: next }, as);
    await fixture.publish(monitor.recovered('2026-01-03T12:10:00Z'));
    await eventually(async () => {
      const typesOf = async (id: string) => (await fixture.published(id)).map(({ type }) => type);
      const isEnd = (type: string) => type === DisruptionResolvedSchema.typeName;
      expect(await typesOf(next)).toEqual(
        [DisruptionCreatedSchema, DisruptionUpdatedSchema, DisruptionResolvedSchema].map(({ typeName }) => typeName),
      );
      expect((await typesOf(first)).at(-1)).toSatisfy(isEnd);
    });
  },
);

test('an open disruption is published exactly once to the page of a newly linked component', async () => {
  const monitor = aMonitor();
  await fixture.publish(monitor.wentDown('2026-01-01T10:00:00Z'));
  const { id } = await theOnly(monitor.organizationId, DisruptionStatus.INVESTIGATING);
  const statusPageId = v7();
  const pageUpdated = outgoingEvent(
    PageUpdatedSchema,
    { statusPageId },
    { organizationId: monitor.organizationId, aggregateId: statusPageId },
  );
  links.set(monitor.id, [{ id: v7(), name: 'Search', statusPageId, status: 'degraded_performance' }]);
  await fixture.publish(pageUpdated, pageUpdated);
  await eventually(async () => {
    const linked = await theOnly(monitor.organizationId, DisruptionStatus.INVESTIGATING);
    expect(linked.statusPageIds).toEqual([statusPageId]);
    expect(linked.affectedComponents).toMatchObject([{ name: 'Search', status: ComponentStatus.DEGRADED_PERFORMANCE }]);
  });
  await fixture.publish(monitor.recovered('2026-01-01T10:05:00Z'));
  await theOnly(monitor.organizationId, DisruptionStatus.RESOLVED);
  expect((await fixture.published(id)).map(({ type }) => type)).toEqual(
    [DisruptionCreatedSchema, DisruptionUpdatedSchema, DisruptionResolvedSchema].map(({ typeName }) => typeName),
  );
});

const pageUpdatedOf = (organizationId: string, statusPageId: string) =>
  outgoingEvent(PageUpdatedSchema, { statusPageId }, { organizationId, aggregateId: statusPageId });

test('a component that is linked while a disruption is being opened without it is added afterwards', async () => {
  const monitor = aMonitor();
  const statusPageId = v7();
  const gate = Promise.withResolvers<void>();
  const reading = Promise.withResolvers<void>();
  beforeLinks = async (monitorId) => {
    if (monitorId !== monitor.id) return;
    reading.resolve();
    await gate.promise;
  };
  await fixture.publish(monitor.wentDown('2026-01-01T10:00:00Z'));
  await reading.promise;
  links.set(monitor.id, [{ id: v7(), name: 'Search', statusPageId, status: 'major_outage' }]);
  await fixture.publish(pageUpdatedOf(monitor.organizationId, statusPageId));
  // Without waiting, the change to the page would be handled before the disruption is opened.
  await sleep(500);
  gate.resolve();
  await eventually(async () => {
    const linked = await theOnly(monitor.organizationId, DisruptionStatus.INVESTIGATING);
    expect(linked.affectedComponents).toMatchObject([{ name: 'Search' }]);
  });
});

test('a change to a page delays neither new disruptions nor recoveries of its organization while statuspage is slow', async () => {
  const slow = aMonitor();
  const { organizationId } = slow;
  const other = aMonitor({ organizationId });
  const statusPageId = v7();
  await fixture.publish(slow.wentDown('2026-01-01T10:00:00Z'));
  await theOnly(organizationId, DisruptionStatus.INVESTIGATING);
  const gate = Promise.withResolvers<void>();
  const asking = Promise.withResolvers<void>();
  beforePage = async (id) => {
    if (id !== statusPageId) return;
    asking.resolve();
    await gate.promise;
  };
  await fixture.publish(pageUpdatedOf(organizationId, statusPageId));
  await asking.promise;
  await fixture.publish(other.wentDown('2026-01-01T10:01:00Z'));
  await fixture.publish(slow.recovered('2026-01-01T10:02:00Z'));
  await eventually(async () => {
    const statuses = (await listOf(organizationId)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([DisruptionStatus.INVESTIGATING, DisruptionStatus.RESOLVED].toSorted());
  });
  gate.resolve();
});
