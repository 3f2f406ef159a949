import { fromBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { jetstream } from '@nats-io/jetstream';
import { EVENT_STREAM, eventSubject } from '@tocsin/outbox';
import { DisruptionStatus, DisruptionType } from '@tocsin/proto/disruption/v1/disruption';
import { ComponentStatus } from '@tocsin/proto/statuspage/v1/component_status';
import { ComponentStatusChangedSchema } from '@tocsin/proto/statuspage/v1/events';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { statusesInForce } from '../src/storage/disruption-store.ts';
import { aDisruption } from './a-disruption.ts';
import { component, componentsByName, freshSlug, statusPageFixture } from './statuspage-fixture.ts';

const { OPERATIONAL, DEGRADED_PERFORMANCE, PARTIAL_OUTAGE, MAJOR_OUTAGE, UNDER_MAINTENANCE } = ComponentStatus;
const fixture = await statusPageFixture();
const organizationId = v7();
const us = await fixture.as(organizationId);
afterAll(() => fixture[Symbol.asyncDispose]());

async function pageWith(...names: string[]) {
  const { statusPage } = await fixture.rpc.createStatusPage({ name: 'Acme', slug: freshSlug() }, us);
  const id = statusPage?.id ?? '';
  const entries = names.map((name) => component({ name }));
  const tree = componentsByName((await fixture.rpc.replaceStructure({ id, entries }, us)).statusPage?.entries);
  const one = (name: string, status: ComponentStatus) => ({ id: tree[name]?.id ?? '', name, statusPageId: id, status });
  return { id, one };
}

async function expectStatuses(id: string, wanted: Record<string, ComponentStatus>): Promise<void> {
  await eventually(async () => {
    const tree = componentsByName((await fixture.rpc.getStatusPage({ id }, us)).statusPage?.entries);
    const statuses = Object.fromEntries(Object.entries(tree).map(([name, { status }]) => [name, status]));
    expect(statuses).toMatchObject(wanted);
  });
}

/** Returns the published statuses of a component, up to and including the status `last`. */
async function changesOf(componentId: string, last: ComponentStatus): Promise<ComponentStatus[]> {
  const subject = eventSubject(ComponentStatusChangedSchema.typeName);
  const consumer = await jetstream(fixture.nats).consumers.get(EVENT_STREAM, { filter_subjects: subject });
  const statuses: ComponentStatus[] = [];
  for await (const message of await consumer.consume()) {
    const event = fromBinary(ComponentStatusChangedSchema, message.data);
    if (event.componentId !== componentId) continue;
    if (statuses.length > 0) expect(event.previousStatus).toBe(statuses.at(-1));
    statuses.push(event.status);
    if (event.status === last) break;
  }
  return statuses;
}

test('a component has the worst status of its open disruptions, and each change publishes one event', async () => {
  const { id, one } = await pageWith('API', 'Web');
  const slow = aDisruption(organizationId, [one('API', DEGRADED_PERFORMANCE), one('Web', PARTIAL_OUTAGE)]);
  const broken = aDisruption(organizationId, [one('API', MAJOR_OUTAGE)]);

  await fixture.publish(slow.created());
  await expectStatuses(id, { API: DEGRADED_PERFORMANCE, Web: PARTIAL_OUTAGE });
  await fixture.publish(broken.created());
  await expectStatuses(id, { API: MAJOR_OUTAGE, Web: PARTIAL_OUTAGE });
  await fixture.publish(broken.resolved('2026-01-01T01:00:00Z'));
  await expectStatuses(id, { API: DEGRADED_PERFORMANCE, Web: PARTIAL_OUTAGE });
  await fixture.publish(slow.updated({ affectedComponents: [one('API', PARTIAL_OUTAGE)] }));
  await expectStatuses(id, { API: PARTIAL_OUTAGE, Web: OPERATIONAL });
  await fixture.publish(slow.deleted());
  await expectStatuses(id, { API: OPERATIONAL, Web: OPERATIONAL });

  expect(await changesOf(one('API', OPERATIONAL).id, OPERATIONAL)).toEqual([
    DEGRADED_PERFORMANCE,
    MAJOR_OUTAGE,
    DEGRADED_PERFORMANCE,
    PARTIAL_OUTAGE,
    OPERATIONAL,
  ]);
});

test('a status that several disruptions set for a component is read once', async () => {
  const { id, one } = await pageWith('API', 'Web');
  const slow = () => aDisruption(organizationId, [one('API', PARTIAL_OUTAGE)]).created();
  await fixture.publish(slow(), slow(), slow());
  await fixture.publish(aDisruption(organizationId, [one('API', MAJOR_OUTAGE), one('Web', MAJOR_OUTAGE)]).created());
  await expectStatuses(id, { API: MAJOR_OUTAGE, Web: MAJOR_OUTAGE });
  const componentId = one('API', MAJOR_OUTAGE).id;
  const statuses = await fixture.tables.transaction({ organizationId }, (tx) =>
    statusesInForce(tx, organizationId, [componentId]),
  );
  expect(statuses).toEqual(new Map([[componentId, ['major_outage', 'partial_outage']]]));
});

test('a disruption that is recorded after its end does not change the status of its components', async () => {
  const { id, one } = await pageWith('API');
  const over = { status: DisruptionStatus.RESOLVED, resolvedAt: timestampFromDate(new Date('2026-01-01T01:00:00Z')) };
  const recorded = aDisruption(organizationId, [one('API', MAJOR_OUTAGE)], over);
  const slow = aDisruption(organizationId, [one('API', DEGRADED_PERFORMANCE)]);
  await fixture.publish(recorded.created(), slow.created());
  await expectStatuses(id, { API: DEGRADED_PERFORMANCE });
  await fixture.publish(slow.deleted());
  expect(await changesOf(one('API', OPERATIONAL).id, OPERATIONAL)).toEqual([DEGRADED_PERFORMANCE, OPERATIONAL]);
});

test('maintenance in progress determines the status of a component, unless another disruption has a worse status', async () => {
  const { id, one } = await pageWith('API');
  const touched = [one('API', UNDER_MAINTENANCE)];
  const input = { type: DisruptionType.MAINTENANCE, status: DisruptionStatus.SCHEDULED };
  const maintenance = aDisruption(organizationId, touched, input);
  const broken = aDisruption(organizationId, [one('API', DEGRADED_PERFORMANCE)]);

  await fixture.publish(broken.created(), maintenance.created());
  await expectStatuses(id, { API: DEGRADED_PERFORMANCE });
  await fixture.publish(broken.resolved('2026-01-01T01:00:00Z'));
  await expectStatuses(id, { API: OPERATIONAL });
  await fixture.publish(maintenance.updated({ status: DisruptionStatus.IN_PROGRESS }));
  await expectStatuses(id, { API: UNDER_MAINTENANCE });
  await fixture.publish(maintenance.resolved('2026-01-01T02:00:00Z'));
  await expectStatuses(id, { API: OPERATIONAL });
});

test('a component has the worst status of concurrent disruptions, and is operational when all of them are resolved', async () => {
  const { id, one } = await pageWith('API');
  const many = Array.from({ length: 12 }, (_, index) =>
    aDisruption(organizationId, [one('API', index === 5 ? MAJOR_OUTAGE : PARTIAL_OUTAGE)]),
  );
  await fixture.publish(...many.map((disruption) => disruption.created()));
  await expectStatuses(id, { API: MAJOR_OUTAGE });
  await fixture.publish(...many.map((disruption) => disruption.resolved('2026-01-01T01:00:00Z')));
  await expectStatuses(id, { API: OPERATIONAL });
  const changes = await changesOf(one('API', OPERATIONAL).id, OPERATIONAL);
  expect(changes.at(-1)).toBe(OPERATIONAL);
});

test("a disruption of another organization can't change the status of a component", async () => {
  const { id, one } = await pageWith('API');
  const other = v7();
  const foreign = aDisruption(other, [one('API', MAJOR_OUTAGE)]);
  await fixture.publish(foreign.created());
  // Wait until the event of the other organization has been handled.
  await eventually(async () => {
    const rows = await fixture.tables.transaction({ organizationId: other }, (tx) =>
      tx.query('select id from disruption_view'),
    );
    expect(rows).toEqual([{ id: foreign.id }]);
  });
  await expectStatuses(id, { API: OPERATIONAL });
  const seen = await fixture.tables.transaction({ organizationId }, (tx) =>
    tx.query('select from disruption_component where disruption_id = $1', [foreign.id]),
  );
  expect(seen).toEqual([]);
});

test('if a component is deleted during a disruption, the other components still recover when the disruption is resolved', async () => {
  const { id, one } = await pageWith('API', 'Web');
  const disruption = aDisruption(organizationId, [one('API', MAJOR_OUTAGE), one('Web', MAJOR_OUTAGE)]);
  await fixture.publish(disruption.created());
  await expectStatuses(id, { API: MAJOR_OUTAGE, Web: MAJOR_OUTAGE });
  const web = one('Web', OPERATIONAL);
  await fixture.rpc.replaceStructure({ id, entries: [component({ id: web.id, name: 'Web' })] }, us);
  await fixture.publish(disruption.resolved('2026-01-01T01:00:00Z'));
  await expectStatuses(id, { Web: OPERATIONAL });
});
