import { outgoingEvent } from '@tocsin/outbox';
import { DisruptionImpact } from '@tocsin/proto/disruption/v1/disruption';
import { MonitorUpdatedSchema } from '@tocsin/proto/monitor/v1/events';
import { MonitorState } from '@tocsin/proto/monitor/v1/monitor';
import { ComponentStatus, ShownStatus } from '@tocsin/proto/statuspage/v1/component_status';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { aDisruption } from './a-disruption.ts';
import { componentsByName, freshSlug, group, statusPageFixture } from './statuspage-fixture.ts';

const fixture = await statusPageFixture();
const { rpc, components } = fixture;
const organizationId = v7();
const us = await fixture.as(organizationId);
afterAll(() => fixture[Symbol.asyncDispose]());

test('pages, groups and components are returned with the statuses that visitors see', async () => {
  const other = (await rpc.createStatusPage({ name: 'Other', slug: freshSlug() }, us)).statusPage;
  const { statusPage } = await rpc.createStatusPage({ name: 'Acme', slug: freshSlug() }, us);
  expect(statusPage?.shownStatus).toBe(ShownStatus.UNKNOWN);
  const statusPageId = statusPage?.id ?? '';
  const monitorId = fixture.addMonitor(organizationId);
  const entries = [group('Core', [{ name: 'API', monitors: [{ monitorId }] }, { name: 'Web' }])];
  await rpc.replaceStructure({ id: statusPageId, entries }, us);

  /** Returns the shown statuses of the page and of its components. Expects all methods that return them to agree. */
  async function statuses() {
    const { statusPages } = await rpc.listStatusPages({}, us);
    const page = (await rpc.getStatusPage({ id: statusPageId }, us)).statusPage;
    const tree = componentsByName(page?.entries);
    const all = (await components.listComponents({ statusPageId }, us)).components;
    const groups = (await components.listGroups({ statusPageId: statusPageId.toUpperCase() }, us)).groups;
    const inAll = (name: string) => [
      tree[name]?.shownStatus,
      all.find((one) => one.name === name)?.shownStatus,
      groups[0]?.components.find((one) => one.name === name)?.shownStatus,
    ];
    expect(statusPages.find(({ id }) => id === other?.id)?.shownStatus).toBe(ShownStatus.UNKNOWN);
    expect(new Set(inAll('API')).size).toBe(1);
    expect(statusPages.find(({ id }) => id === statusPageId)?.shownStatus).toBe(page?.shownStatus);
    expect((await components.getComponent({ statusPageId, id: tree.API?.id ?? '' }, us)).component).toEqual(tree.API);
    return { page: page?.shownStatus, api: inAll('API')[0], web: inAll('Web')[0], ids: tree };
  }
  const { ids, ...before } = await statuses();
  const { OPERATIONAL, MAJOR_OUTAGE, PARTIAL_OUTAGE, UNKNOWN } = ShownStatus;
  expect(before).toEqual({ page: OPERATIONAL, api: OPERATIONAL, web: OPERATIONAL });

  const monitor = { id: monitorId, organizationId, enabled: true, state: MonitorState.PENDING };
  await fixture.publish(outgoingEvent(MonitorUpdatedSchema, { monitor }, { organizationId, aggregateId: monitorId }));
  await eventually(async () =>
    expect(await statuses()).toMatchObject({ page: UNKNOWN, api: UNKNOWN, web: OPERATIONAL }),
  );

  const onPage = { statusPageIds: [statusPageId], impact: DisruptionImpact.MAJOR };
  await fixture.publish(aDisruption(organizationId, [], onPage).created());
  await eventually(async () => expect(await statuses()).toMatchObject({ page: PARTIAL_OUTAGE, api: UNKNOWN }));
  const web = { id: ids.Web?.id ?? '', name: 'Web', statusPageId, status: ComponentStatus.MAJOR_OUTAGE };
  const outage = aDisruption(organizationId, [web]);
  await fixture.publish(outage.created());
  await eventually(async () => expect(await statuses()).toMatchObject({ page: MAJOR_OUTAGE, web: MAJOR_OUTAGE }));
  await fixture.publish(outage.resolved('2026-01-01T01:00:00Z'));
  await eventually(async () => expect(await statuses()).toMatchObject({ page: PARTIAL_OUTAGE, web: OPERATIONAL }));
});
