import { setTimeout as sleep } from 'node:timers/promises';
import { fromBinary } from '@bufbuild/protobuf';
import { outgoingEvent } from '@tocsin/outbox';
import {
  type Disruption,
  DisruptionImpact,
  DisruptionStatus,
  DisruptionType,
} from '@tocsin/proto/disruption/v1/disruption';
import { DisruptionUpdatedSchema } from '@tocsin/proto/disruption/v1/events';
import { ComponentStatus } from '@tocsin/proto/statuspage/v1/component_status';
import { PageUpdatedSchema } from '@tocsin/proto/statuspage/v1/events';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import type { AffectedComponent } from '../src/domain/component.ts';
import { aMonitor, disruptionFixture } from './start-disruption.ts';

/** Names of components by page and component id. */
const pages = new Map<string, Map<string, string>>();
const links = new Map<string, AffectedComponent[]>();
let afterNames = async (_statusPageId: string): Promise<void> => {};

const fixture = await disruptionFixture({
  async whileDown(_organizationId, monitorId) {
    return links.get(monitorId) ?? [];
  },
  async namesOnPage(_organizationId, statusPageId, ids) {
    const page = pages.get(statusPageId);
    const names = page && new Map([...page].filter(([id]) => ids.includes(id)));
    await afterNames(statusPageId);
    return names;
  },
});
const { rpc, replica } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

const { MAJOR_OUTAGE, PARTIAL_OUTAGE, OPERATIONAL } = ComponentStatus;

/** Creates a page with the components API and Web. */
async function aPage() {
  const organizationId = v7();
  const statusPageId = v7();
  const [api, web] = [v7(), v7()];
  const names = new Map([
    [api, 'API'],
    [web, 'Web'],
  ]);
  pages.set(statusPageId, names);
  const as = await fixture.as(organizationId);
  const components = [
    { id: api, status: PARTIAL_OUTAGE },
    { id: web, status: MAJOR_OUTAGE },
  ];
  const read = async (id: string): Promise<Disruption> => {
    const { disruption } = await replica.getDisruption({ id }, as);
    if (!disruption) throw new Error('no disruption');
    return disruption;
  };
  return {
    organizationId,
    statusPageId,
    api,
    web,
    names,
    as,
    read,
    /** Returns the fields that publish a disruption with these components to the page. */
    with: (affected: readonly { id: string; status: ComponentStatus }[]) => ({
      statusPageId,
      components: { components: affected.map(({ id, status }) => ({ id, status })) },
    }),
    /** Opens a disruption of both components, and returns its id. */
    async open(fields: { title?: string; type?: DisruptionType } = {}): Promise<string> {
      const request = { title: 'Slow', statusPageId, components: { components }, ...fields };
      return (await rpc.createDisruption(request, as)).disruption?.id ?? '';
    },
    changed: (change: { deleted?: boolean } = {}) =>
      fixture.publish(
        outgoingEvent(PageUpdatedSchema, { statusPageId, ...change }, { organizationId, aggregateId: statusPageId }),
      ),
    /** Waits until a disruption has exactly these components. */
    shows: (id: string, ...expected: [string, ComponentStatus][]) =>
      eventually(async () => expect(effects(await read(id))).toEqual(expected)),
  };
}

const effects = ({ affectedComponents }: Disruption) => affectedComponents.map(({ name, status }) => [name, status]);

test('open disruptions and maintenances get the current names of components, and lose removed components', async () => {
  const page = await aPage();
  const open = await page.open();
  const planned = await page.open({ type: DisruptionType.MAINTENANCE, title: 'New disks' });
  const ended = await page.open();
  await rpc.updateDisruption({ id: ended, status: DisruptionStatus.RESOLVED }, page.as);
  const before = await page.read(ended);

  page.names.set(page.api, 'Public API');
  await page.changed();
  for (const id of [open, planned]) await page.shows(id, ['Web', MAJOR_OUTAGE], ['Public API', PARTIAL_OUTAGE]);
  page.names.delete(page.web);
  await page.changed();
  for (const id of [open, planned]) await page.shows(id, ['Public API', PARTIAL_OUTAGE]);
  expect(await page.read(ended)).toEqual(before);
  expect(effects(before)).toEqual([
    ['Web', OPERATIONAL],
    ['API', OPERATIONAL],
  ]);

  // The components that the API returns are accepted in a change.
  const { affectedComponents: components } = await page.read(open);
  const again = { id: open, ...page.with(components), message: 'Still slow.' };
  const { disruption } = await rpc.updateDisruption(again, page.as);
  expect(disruption?.affectedComponents).toEqual(components);
});

test('an update of names and removed components is published without notifications, and none if nothing changed', async () => {
  const page = await aPage();
  const id = await page.open();
  page.names.set(page.api, 'Public API');
  page.names.delete(page.web);
  await page.changed();
  await page.changed();
  await page.shows(id, ['Public API', PARTIAL_OUTAGE]);
  await rpc.updateDisruption({ id, message: 'Still slow.' }, page.as);
  await eventually(async () => {
    const updates = (await fixture.published(id))
      .filter(({ type }) => type === DisruptionUpdatedSchema.typeName)
      .map(({ data }) => fromBinary(DisruptionUpdatedSchema, data));
    const names = ['Public API'];
    expect(
      updates.map(({ disruption, silent }) => [disruption?.affectedComponents.map(({ name }) => name), silent]),
    ).toEqual([
      [names, true],
      [names, false],
    ]);
  });
});

test('a disruption stays open on its page when its last component is removed or the page is deleted', async () => {
  const page = await aPage();
  const id = await page.open();
  page.names.clear();
  await page.changed();
  await page.shows(id);
  expect(await page.read(id)).toMatchObject({
    status: DisruptionStatus.INVESTIGATING,
    statusPageIds: [page.statusPageId],
  });
  const { disruption } = await rpc.updateDisruption({ id, status: DisruptionStatus.RESOLVED }, page.as);
  expect(disruption?.status).toBe(DisruptionStatus.RESOLVED);

  const deleted = await aPage();
  const other = await deleted.open();
  pages.delete(deleted.statusPageId);
  await deleted.changed({ deleted: true });
  await deleted.shows(other);
  expect((await deleted.read(other)).statusPageIds).toEqual([deleted.statusPageId]);
});

test('an ended disruption accepts the components that it had, and a reopened one has current names and no removed ones', async () => {
  const page = await aPage();
  const id = await page.open();
  await rpc.updateDisruption({ id, status: DisruptionStatus.RESOLVED }, page.as);
  page.names.set(page.api, 'Public API');
  page.names.delete(page.web);
  await page.changed();
  const { affectedComponents: components } = await page.read(id);
  const summary = await rpc.updateDisruption({ id, ...page.with(components), message: 'It was a disk.' }, page.as);
  expect(summary.disruption?.affectedComponents).toEqual(components);
  const { disruption } = await rpc.updateDisruption({ id, status: DisruptionStatus.MONITORING }, page.as);
  expect(disruption && effects(disruption)).toEqual([['Public API', PARTIAL_OUTAGE]]);
});

type Change = (page: Awaited<ReturnType<typeof aPage>>) => Promise<unknown>;

test.each<[string, Change]>([
  ['created with it', (page) => page.open()],
  [
    'published with it',
    async ({ as, statusPageId, api, web }) => {
      const id = (await rpc.createDisruption({ title: 'Slow' }, as)).disruption?.id ?? '';
      const components = [api, web].map((one) => ({ id: one, status: MAJOR_OUTAGE }));
      return rpc.updateDisruption({ id, statusPageId, components: { components } }, as);
    },
  ],
])('a component that is removed while a disruption is being %s is removed from the disruption', async (_, change) => {
  const page = await aPage();
  const gate = Promise.withResolvers<void>();
  const reading = Promise.withResolvers<void>();
  let isFirst = true;
  afterNames = async (statusPageId) => {
    if (statusPageId !== page.statusPageId || !isFirst) return;
    isFirst = false;
    reading.resolve();
    await gate.promise;
  };
  const changing = change(page);
  await reading.promise;
  page.names.delete(page.web);
  await page.changed();
  // Without waiting, the change to the page would be handled before the disruption is saved.
  await sleep(500);
  gate.resolve();
  await changing;
  await eventually(async () => {
    const { disruptions } = await rpc.listDisruptions({}, page.as);
    expect(disruptions.map(({ affectedComponents }) => affectedComponents.map(({ name }) => name))).toEqual([['API']]);
  });
});

test('one change to a page adds linked components to an automatic disruption, renames others and removes the worst', async () => {
  const page = await aPage();
  const monitor = aMonitor({ organizationId: page.organizationId });
  const { statusPageId } = page;
  const linked = (id: string, name: string, status: AffectedComponent['status']) => ({
    id,
    name,
    statusPageId,
    status,
  });
  links.set(monitor.id, [linked(page.api, 'API', 'degraded_performance'), linked(page.web, 'Web', 'major_outage')]);
  const id = v7();
  await fixture.publish(monitor.wentDown('2026-01-01T10:00:00Z', 'status 502', id));
  await eventually(() => page.read(id));
  expect((await page.read(id)).impact).toBe(DisruptionImpact.CRITICAL);

  const shop = v7();
  page.names.set(page.api, 'Public API').set(shop, 'Shop').delete(page.web);
  links.set(monitor.id, [
    linked(page.api, 'Public API', 'degraded_performance'),
    linked(shop, 'Shop', 'partial_outage'),
  ]);
  await page.changed();
  await page.shows(id, ['Shop', PARTIAL_OUTAGE], ['Public API', ComponentStatus.DEGRADED_PERFORMANCE]);
  expect(await page.read(id)).toMatchObject({ impact: DisruptionImpact.MAJOR, statusPageIds: [statusPageId] });

  page.names.clear();
  links.set(monitor.id, []);
  await page.changed();
  await page.shows(id);
  await fixture.publish(monitor.recovered('2026-01-01T10:05:00Z'));
  await eventually(async () => expect((await page.read(id)).status).toBe(DisruptionStatus.RESOLVED));
});

test('a change to a page updates the 200 newest of its open disruptions, and the next change updates others', async () => {
  const page = await aPage();
  const ids = Array.from({ length: 201 }, () => v7());
  await fixture.tables.transaction({ organizationId: page.organizationId }, async (tx) => {
    await tx.query(
      `insert into disruption (id, organization_id, title, automatic_title, type, status, impact, auto_created,
                               started_at, status_page_ids, hidden_page_ids, created_at, updated_at)
       select id, $1, 'Slow', false, 'disruption', 'investigating', 'major', false, now(), array[$3]::uuid[], '{}', now(),
              now()
       from unnest($2::uuid[]) as id`,
      [page.organizationId, ids, page.statusPageId],
    );
    await tx.query(
      `insert into affected_component (disruption_id, component_id, organization_id, name, status, status_page_id,
                                       position)
       select id, $3, $1, 'API', 'major_outage', $4, 0 from unnest($2::uuid[]) as id`,
      [page.organizationId, ids, page.api, page.statusPageId],
    );
  });
  const outdated = async () => {
    const rows = await fixture.tables.transaction({ organizationId: page.organizationId }, (tx) =>
      tx.query<{ id: string }>(
        `select disruption_id as id from affected_component where organization_id = $1 and name = 'API'`,
        [page.organizationId],
      ),
    );
    return rows.map(({ id }) => id);
  };
  page.names.set(page.api, 'Public API');
  await page.changed();
  await eventually(async () => expect(await outdated()).toEqual(ids.slice(0, 1)), { timeoutMs: 20_000 });
  await page.changed();
  await eventually(async () => expect(await outdated()).toEqual([]));
});
