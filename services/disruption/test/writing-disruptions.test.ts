import { fromBinary } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ServiceError } from '@tocsin/errors';
import {
  type Disruption,
  DisruptionImpact,
  DisruptionStatus,
  DisruptionType,
} from '@tocsin/proto/disruption/v1/disruption';
import {
  DisruptionCreatedSchema,
  DisruptionDeletedSchema,
  DisruptionResolvedSchema,
  DisruptionUpdatedSchema,
} from '@tocsin/proto/disruption/v1/events';
import { ComponentStatus } from '@tocsin/proto/statuspage/v1/component_status';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { aMonitor, disruptionFixture } from './start-disruption.ts';

/** Names of components by organization, page and component id. */
const pages = new Map<string, Map<string, string>>();
let away = false;

const fixture = await disruptionFixture({
  async namesOnPage(organizationId, statusPageId, ids) {
    if (away) throw new ServiceError('unavailable', 'statuspage is unavailable');
    const page = pages.get(`${organizationId}/${statusPageId}`);
    return page && new Map([...page].filter(([id]) => ids.includes(id)));
  },
});
const { rpc, replica } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

const { MAJOR_OUTAGE, PARTIAL_OUTAGE, OPERATIONAL } = ComponentStatus;

/** Creates an organization with a page that has two components. */
async function tenant() {
  const organizationId = v7();
  const page = aPage(organizationId, 'API', 'Web');
  return { organizationId, page, as: await fixture.as(organizationId) };
}

function aPage(organizationId: string, ...names: string[]) {
  const statusPageId = v7();
  const ids = names.map(() => v7());
  pages.set(`${organizationId}/${statusPageId}`, new Map(ids.map((id, index) => [id, names[index] ?? ''])));
  return { statusPageId, ids, with: (...statuses: ComponentStatus[]) => publication(statusPageId, ids, statuses) };
}

function publication(statusPageId: string, ids: string[], statuses: ComponentStatus[]) {
  const components = statuses.map((status, index) => ({ id: ids[index] ?? '', status }));
  return { statusPageId, components: { components } };
}

function sure(disruption: Disruption | undefined): Disruption {
  if (!disruption) throw new Error('no disruption');
  return disruption;
}

const effects = ({ affectedComponents }: Disruption) => affectedComponents.map(({ name, status }) => [name, status]);

test('a disruption that a person opens is identical in all responses and in its event', async () => {
  const { organizationId, page, as } = await tenant();
  const startedAt = timestampFromDate(new Date('2026-01-01T10:00:00Z'));
  const created = sure(
    (
      await rpc.createDisruption(
        { title: 'Slow', startedAt, message: 'Since ten.', ...page.with(PARTIAL_OUTAGE, MAJOR_OUTAGE) },
        as,
      )
    ).disruption,
  );
  expect(created).toMatchObject({
    organizationId,
    title: 'Slow',
    type: DisruptionType.DISRUPTION,
    status: DisruptionStatus.INVESTIGATING,
    impact: DisruptionImpact.MAJOR,
    autoCreated: false,
    monitorId: '',
    startedAt,
    updates: [{ status: DisruptionStatus.INVESTIGATING, body: 'Since ten.', postedBy: 'jane@example.com' }],
    statusPageIds: [page.statusPageId],
  });
  expect(effects(created)).toEqual([
    ['Web', MAJOR_OUTAGE],
    ['API', PARTIAL_OUTAGE],
  ]);
  expect((await replica.getDisruption({ id: created.id }, as)).disruption).toEqual(created);
  await eventually(async () => {
    const [event, ...others] = await fixture.published(created.id);
    expect(others).toEqual([]);
    expect(event?.type).toBe(DisruptionCreatedSchema.typeName);
    expect(fromBinary(DisruptionCreatedSchema, event?.data ?? new Uint8Array()).disruption).toEqual(created);
  });
});

test('every step of a disruption publishes one event', async () => {
  const { organizationId, page, as } = await tenant();
  const { id } = sure((await rpc.createDisruption({ title: 'Slow', ...page.with(PARTIAL_OUTAGE) }, as)).disruption);
  const change = async (changes: Parameters<typeof rpc.updateDisruption>[0]) =>
    sure((await rpc.updateDisruption({ id, ...changes }, as)).disruption);

  const worse = await change({ title: 'Down', impact: DisruptionImpact.CRITICAL, message: 'It is a disk.' });
  expect(worse.updates).toHaveLength(2);
  const further = aPage(organizationId, 'Shop');
  const published = await change({ status: DisruptionStatus.IDENTIFIED, ...further.with(MAJOR_OUTAGE) });
  expect(effects(published)).toEqual([
    ['Shop', MAJOR_OUTAGE],
    ['API', PARTIAL_OUTAGE],
  ]);
  expect(published.statusPageIds).toEqual([page.statusPageId, further.statusPageId]);
  const resolved = await change({ status: DisruptionStatus.RESOLVED });
  expect(effects(resolved)).toEqual([
    ['Shop', OPERATIONAL],
    ['API', OPERATIONAL],
  ]);
  expect(resolved.resolvedAt).toEqual(resolved.updatedAt);
  const summary = await change({ message: 'The disk was full.' });
  expect(summary.resolvedAt).toEqual(resolved.resolvedAt);
  const reopened = await change({ status: DisruptionStatus.MONITORING });
  expect(reopened.resolvedAt).toBeUndefined();
  expect(effects(reopened)).toEqual(effects(published));
  // An update with the current values publishes no event.
  expect(await change({ status: DisruptionStatus.MONITORING, title: 'Down' })).toEqual(reopened);
  await rpc.deleteDisruption({ id }, as);

  await expect(rpc.getDisruption({ id }, as)).rejects.toMatchObject({ kind: 'not_found' });
  const { typeName: updated } = DisruptionUpdatedSchema;
  await eventually(async () =>
    expect((await fixture.published(id)).map(({ type }) => type)).toEqual([
      DisruptionCreatedSchema.typeName,
      updated,
      updated,
      DisruptionResolvedSchema.typeName,
      updated,
      updated,
      DisruptionDeletedSchema.typeName,
    ]),
  );
});

test('concurrent changes run one after the other, and none is lost', async () => {
  const { as } = await tenant();
  const { id } = sure((await rpc.createDisruption({ title: 'Slow' }, as)).disruption);
  const words = Array.from({ length: 10 }, (_, index) => `Word ${index}`);
  await Promise.all(
    words.map((message, index) => (index % 2 === 0 ? rpc : replica).updateDisruption({ id, message }, as)),
  );
  await Promise.all([
    rpc.updateDisruption({ id, title: 'Down' }, as),
    replica.updateDisruption({ id, impact: DisruptionImpact.MINOR }, as),
  ]);
  const { disruption } = await rpc.getDisruption({ id }, as);
  expect(disruption).toMatchObject({ title: 'Down', impact: DisruptionImpact.MINOR });
  expect(disruption?.updates.map(({ body }) => body).sort()).toEqual([...words, 'We are looking into it.'].sort());
});

test('if two requests resolve a disruption at the same time, only one of them succeeds', async () => {
  const { as } = await tenant();
  const { id } = sure((await rpc.createDisruption({ title: 'Slow' }, as)).disruption);
  const end = { id, status: DisruptionStatus.RESOLVED };
  await Promise.all([rpc, replica, rpc, replica].map((client) => client.updateDisruption(end, as)));
  expect((await rpc.getDisruption({ id }, as)).disruption?.updates).toHaveLength(2);
  await eventually(async () => {
    const types = (await fixture.published(id)).map(({ type }) => type);
    expect(types).toEqual([DisruptionCreatedSchema.typeName, DisruptionResolvedSchema.typeName]);
  });
});

test('a response contains all errors of a request, keyed by the path of the field in the API', async () => {
  const { organizationId, page, as } = await tenant();
  const elsewhere = aPage(organizationId, 'Elsewhere');
  const wrong = publication(page.statusPageId, [page.ids[0] ?? '', ...elsewhere.ids, 'nonsense'], [1, 1, 1]);
  const fields = {
    title: ['must not contain control characters'],
    'components.1.id': ['is not a component of this page'],
    'components.2.id': ['is not a component of this page'],
  };
  await expect(rpc.createDisruption({ title: 'Slow\n', ...wrong }, as)).rejects.toMatchObject({
    kind: 'invalid',
    fields,
  });
  const { id } = sure((await rpc.createDisruption({ title: 'Slow' }, as)).disruption);
  const status = DisruptionStatus.COMPLETED;
  await expect(rpc.updateDisruption({ id, title: 'Slow\n', status, ...wrong }, as)).rejects.toMatchObject({
    fields: { ...fields, status: ['must be one of investigating, identified, monitoring, resolved'] },
  });
  expect((await rpc.listDisruptions({}, as)).disruptions).toHaveLength(1);
});

test('a page of another organization, an unknown page and an invalid id are refused', async () => {
  const { as } = await tenant();
  const theirs = (await tenant()).page;
  const refused = { fields: { status_page_id: ['is not a status page of this organization'] } };
  for (const statusPageId of [theirs.statusPageId, v7(), 'nonsense']) {
    const asked = { title: 'Slow', ...publication(statusPageId, theirs.ids, [MAJOR_OUTAGE]) };
    await expect(rpc.createDisruption(asked, as)).rejects.toMatchObject(refused);
  }
});

test('while statuspage is unavailable, disruptions can be opened but not published', async () => {
  const { page, as } = await tenant();
  away = true;
  await expect(rpc.createDisruption({ title: 'Slow', ...page.with(MAJOR_OUTAGE) }, as)).rejects.toMatchObject({
    kind: 'unavailable',
  });
  await rpc.createDisruption({ title: 'Slow' }, as);
  away = false;
  expect((await rpc.listDisruptions({}, as)).disruptions).toHaveLength(1);
});

test("another organization's disruption can't be changed or deleted", async () => {
  const { as } = await tenant();
  const { id } = sure((await rpc.createDisruption({ title: 'Slow' }, as)).disruption);
  const theirs = await fixture.as(v7());
  for (const one of [id, v7(), 'nonsense']) {
    const refusal = { kind: 'not_found', message: 'disruption not found' };
    await expect(rpc.updateDisruption({ id: one, title: '' }, theirs)).rejects.toMatchObject(refusal);
    await expect(rpc.deleteDisruption({ id: one }, theirs)).rejects.toMatchObject(refusal);
  }
  expect((await rpc.getDisruption({ id }, as)).disruption?.title).toBe('Slow');
});

test('lists filter by status, type and origin', async () => {
  const { organizationId, as } = await tenant();
  const open = async (title: string, type: DisruptionType) => rpc.createDisruption({ title, type }, as);
  await open('Slow', DisruptionType.DISRUPTION);
  await open('New disks', DisruptionType.MAINTENANCE);
  const { id } = sure((await open('Down', DisruptionType.DISRUPTION)).disruption);
  await rpc.updateDisruption({ id, status: DisruptionStatus.RESOLVED }, as);
  await fixture.publish(aMonitor({ organizationId }).wentDown('2026-01-01T10:00:00Z'));
  const titles = async (filter: Parameters<typeof rpc.listDisruptions>[0]) =>
    (await rpc.listDisruptions(filter, as)).disruptions.map(({ title }) => title);

  await eventually(async () => expect(await titles({})).toEqual(['Shop is down', 'Down', 'New disks', 'Slow']));
  expect(await titles({ autoCreated: true })).toEqual(['Shop is down']);
  expect(await titles({ autoCreated: false })).toEqual(['Down', 'New disks', 'Slow']);
  expect(await titles({ type: DisruptionType.MAINTENANCE })).toEqual(['New disks']);
  expect(await titles({ status: DisruptionStatus.RESOLVED })).toEqual(['Down']);
  expect(
    await titles({ type: DisruptionType.DISRUPTION, status: DisruptionStatus.INVESTIGATING, autoCreated: false }),
  ).toEqual(['Slow']);
});

test("an automatic disruption that a person resolved stays resolved, and can't be reopened while a newer one is open", async () => {
  const { organizationId, as } = await tenant();
  const monitor = aMonitor({ organizationId });
  const list = async () => (await rpc.listDisruptions({}, as)).disruptions;
  const count = (length: number) =>
    eventually(async () => {
      const found = await list();
      expect(found).toHaveLength(length);
      return sure(found[0]);
    });
  await fixture.publish(monitor.wentDown('2026-01-01T10:00:00Z'));
  const { id } = await count(1);
  await rpc.updateDisruption({ id, status: DisruptionStatus.RESOLVED, message: 'Never mind.' }, as);
  await fixture.publish(monitor.recovered('2026-01-01T10:05:00Z'), monitor.wentDown('2026-01-01T10:10:00Z'));
  const next = await count(2);
  const untouched = sure((await list())[1]);
  expect(untouched.updates.map(({ body }) => body)[0]).toBe('Never mind.');

  await expect(rpc.updateDisruption({ id, status: DisruptionStatus.MONITORING }, as)).rejects.toMatchObject({
    kind: 'conflict',
    message: 'the monitor has another open disruption: resolve that one first, or go on with it',
  });
  expect((await rpc.getDisruption({ id }, as)).disruption).toEqual(untouched);
  await rpc.updateDisruption({ id: next.id, status: DisruptionStatus.RESOLVED }, as);
  await rpc.updateDisruption({ id, status: DisruptionStatus.MONITORING }, as);
  // After the reopening, the disruption follows the monitor's state again, so a recovery resolves the disruption.
  await fixture.publish(monitor.recovered('2026-01-01T10:15:00Z'));
  await eventually(async () => {
    const { disruption } = await rpc.getDisruption({ id }, as);
    expect(disruption?.status).toBe(DisruptionStatus.RESOLVED);
    expect(disruption?.resolvedAt && timestampDate(disruption.resolvedAt)).toEqual(new Date('2026-01-01T10:15:00Z'));
  });
});

test('the recovery of the monitor does not restore a deleted automatic disruption', async () => {
  const { organizationId, as } = await tenant();
  const monitor = aMonitor({ organizationId });
  const ids = async () => (await rpc.listDisruptions({}, as)).disruptions.map(({ id }) => id);
  await fixture.publish(monitor.wentDown('2026-01-01T10:00:00Z'));
  const [id = ''] = await eventually(async () => {
    expect(await ids()).toHaveLength(1);
    return ids();
  });
  await rpc.deleteDisruption({ id }, as);
  await fixture.publish(monitor.recovered('2026-01-01T10:05:00Z'), monitor.wentDown('2026-01-01T10:10:00Z'));
  await eventually(async () => expect(await ids()).toHaveLength(1));
  expect(await ids()).not.toContain(id);
});

test('an acknowledgement is recorded and published once, even if another person repeats it', async () => {
  const { organizationId, as } = await tenant();
  const { id } = sure((await rpc.createDisruption({ title: 'Slow' }, as)).disruption);
  const acknowledged = await Promise.all([
    rpc.acknowledgeDisruption({ id, acknowledgedBy: 'Somebody else' }, as),
    replica.acknowledgeDisruption({ id }, as),
  ]);
  for (const { disruption } of acknowledged) {
    expect(disruption).toMatchObject({ acknowledgedBy: 'jane@example.com', acknowledgedAt: expect.anything() });
    expect(disruption).toEqual(acknowledged[0]?.disruption);
  }
  expect((await rpc.getDisruption({ id }, as)).disruption).toEqual(acknowledged[0]?.disruption);
  const byService = await fixture.asService('notifier', organizationId);
  await rpc.acknowledgeDisruption({ id, acknowledgedBy: 'Somebody else' }, byService);
  // Events are published in order. When the event of this change has arrived, any further events of the
  // acknowledgements would have arrived too.
  await rpc.updateDisruption({ id, title: 'Slower' }, as);
  await eventually(async () => {
    const events = await fixture.published(id);
    expect(events.map(({ type }) => type)).toEqual([
      DisruptionCreatedSchema.typeName,
      DisruptionUpdatedSchema.typeName,
      DisruptionUpdatedSchema.typeName,
    ]);
    const { disruption } = fromBinary(DisruptionUpdatedSchema, events[1]?.data ?? new Uint8Array());
    expect(disruption).toEqual(acknowledged[0]?.disruption);
  });
});

test('a service can acknowledge on behalf of a person', async () => {
  const { organizationId, as } = await tenant();
  const { id } = sure((await rpc.createDisruption({ title: 'Slow' }, as)).disruption);
  const byService = await fixture.asService('notifier', organizationId);
  await expect(rpc.acknowledgeDisruption({ id, acknowledgedBy: '' }, byService)).rejects.toMatchObject({
    kind: 'invalid',
    fields: { acknowledged_by: ['is required'] },
  });
  const { disruption } = await rpc.acknowledgeDisruption({ id, acknowledgedBy: 'Jane, by the link' }, byService);
  expect(disruption?.acknowledgedBy).toBe('Jane, by the link');
  await expect(
    rpc.acknowledgeDisruption({ id, acknowledgedBy: 'x' }, await fixture.asService('statuspage', organizationId)),
  ).rejects.toMatchObject({ kind: 'forbidden' });
});

test("an ended disruption can't be acknowledged, and a disruption of another organization is not found", async () => {
  const { as } = await tenant();
  const { id } = sure((await rpc.createDisruption({ title: 'Slow' }, as)).disruption);
  await rpc.updateDisruption({ id, status: DisruptionStatus.RESOLVED }, as);
  await expect(rpc.acknowledgeDisruption({ id }, as)).rejects.toMatchObject({ kind: 'conflict' });
  const other = await tenant();
  for (const unknown of [id, v7(), 'nonsense'])
    await expect(rpc.acknowledgeDisruption({ id: unknown }, other.as)).rejects.toMatchObject({ kind: 'not_found' });
});
