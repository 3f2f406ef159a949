import { fromBinary } from '@bufbuild/protobuf';
import { eventSubject, outgoingEvent } from '@tocsin/outbox';
import { MonitorStateChangedSchema, MonitorUpdatedSchema } from '@tocsin/proto/monitor/v1/events';
import { MonitorState } from '@tocsin/proto/monitor/v1/monitor';
import { ComponentStatus } from '@tocsin/proto/statuspage/v1/component_status';
import { PageUpdatedSchema, PublicPageChangedSchema } from '@tocsin/proto/statuspage/v1/events';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { aDisruption } from './a-disruption.ts';
import { component, componentsByName, freshSlug, statusPageFixture } from './statuspage-fixture.ts';

const fixture = await statusPageFixture();
const organizationId = v7();
const us = await fixture.as(organizationId);
afterAll(() => fixture[Symbol.asyncDispose]());

/**
 * Numbers of events by page id. `changed` counts changes that visitors see, and `updated` counts changes to the page
 * itself.
 */
const changed = new Map<string, number>();
const updated = new Map<string, number>();
for (const [counts, schema] of [
  [changed, PublicPageChangedSchema],
  [updated, PageUpdatedSchema],
] as const) {
  fixture.nats.subscribe(eventSubject(schema.typeName), {
    callback(_, message) {
      const { statusPageId: id } = fromBinary(schema, message.data);
      counts.set(id, (counts.get(id) ?? 0) + 1);
    },
  });
}

async function pageWith(monitorId?: string) {
  const { statusPage } = await fixture.rpc.createStatusPage({ name: 'Acme', slug: freshSlug(), enabled: true }, us);
  const id = statusPage?.id ?? '';
  const entries = [component({ name: 'API', monitors: monitorId === undefined ? [] : [{ monitorId }] })];
  const tree = componentsByName((await fixture.rpc.replaceStructure({ id, entries }, us)).statusPage?.entries);
  await eventually(() => expect(updated.get(id)).toBe(2));
  return { id, componentId: tree.API?.id ?? '' };
}

const expectChanges = (pages: readonly { id: string }[], counts: readonly number[]) =>
  eventually(() => expect(pages.map(({ id }) => changed.get(id) ?? 0)).toEqual(counts));

test('changes to a disruption are published for all pages that show it now or showed it before', async () => {
  const pages = [await pageWith(), await pageWith(), await pageWith()] as const;
  const [first, second, third] = pages;
  const api = { id: first.componentId, name: 'API', statusPageId: first.id, status: ComponentStatus.MAJOR_OUTAGE };
  const disruption = aDisruption(organizationId, [api], { statusPageIds: [second.id] });
  await fixture.publish(disruption.created());
  await expectChanges(pages, [1, 1, 0]);
  await fixture.publish(disruption.updated({ statusPageIds: [third.id], affectedComponents: [] }));
  await expectChanges(pages, [2, 2, 1]);
  await fixture.publish(disruption.deleted());
  await expectChanges(pages, [2, 2, 2]);
});

test('a change in the condition of a monitor is published for the pages that are linked to the monitor', async () => {
  const monitorId = fixture.addMonitor(organizationId);
  const pages = [await pageWith(monitorId), await pageWith()] as const;
  const about = { organizationId, aggregateId: monitorId };
  const is = (enabled: boolean, state: MonitorState) => ({
    monitor: { id: monitorId, organizationId, enabled, state },
  });
  await fixture.publish(outgoingEvent(MonitorStateChangedSchema, is(true, MonitorState.UP), about));
  await expectChanges(pages, [1, 0]);
  // The condition stays the same, so this event publishes nothing.
  await fixture.publish(outgoingEvent(MonitorUpdatedSchema, is(true, MonitorState.UP), about));
  await fixture.publish(outgoingEvent(MonitorUpdatedSchema, is(false, MonitorState.UP), about));
  await expectChanges(pages, [2, 0]);
  await fixture.publish(outgoingEvent(MonitorStateChangedSchema, is(false, MonitorState.STALE), about));
  await expectChanges(pages, [3, 0]);
});
