import { fromBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { AutomaticText, type Disruption, DisruptionStatus } from '@tocsin/proto/disruption/v1/disruption';
import {
  DisruptionCreatedSchema,
  DisruptionResolvedSchema,
  DisruptionUpdatedSchema,
} from '@tocsin/proto/disruption/v1/events';
import { ComponentStatus } from '@tocsin/proto/statuspage/v1/component_status';
import { eventually, manualClock } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { aMonitor, disruptionFixture } from './start-disruption.ts';

const PAGE = v7();
const COMPONENT = v7();
const linked = { id: COMPONENT, name: 'API', statusPageId: PAGE, status: 'major_outage' as const };

const clock = manualClock('2026-01-01T00:00:00Z');
const fixture = await disruptionFixture({
  now: clock.now,
  whileDown: async () => [linked],
  namesOnPage: async (_, page) => (page === PAGE ? new Map([[COMPONENT, 'API']]) : undefined),
});
const { rpc, replica } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

const startedAt = timestampFromDate(new Date('2026-01-01T00:00:00Z'));
const publication = {
  statusPageId: PAGE,
  components: { components: [{ id: COMPONENT, status: ComponentStatus.MAJOR_OUTAGE }] },
};

function sure(disruption: Disruption | undefined): Disruption {
  if (!disruption) throw new Error('the response has no disruption');
  return disruption;
}

/** Creates a published disruption with two timeline entries. */
async function open() {
  const organizationId = v7();
  const as = await fixture.as(organizationId);
  const { disruption } = await rpc.createDisruption({ title: 'Slow', startedAt, message: 'First', ...publication }, as);
  const { id } = sure(disruption);
  const changed = await rpc.updateDisruption({ id, message: 'Secret: 10.0.0.7' }, as);
  const [second, first] = sure(changed.disruption).updates.map((update) => update.id);
  return { organizationId, as, id, first: first ?? '', second: second ?? '' };
}

async function eventsOf(id: string, count: number) {
  const events = await eventually(async () => {
    const found = await fixture.published(id);
    expect(found).toHaveLength(count);
    return found;
  });
  return events.map(({ type, data }) =>
    type === DisruptionUpdatedSchema.typeName ? fromBinary(DisruptionUpdatedSchema, data) : undefined,
  );
}

test('a change to the text of an entry is recorded and published', async () => {
  const { as, id, second } = await open();
  clock.advance(60_000);
  const edited = sure((await rpc.editUpdate({ id, updateId: second, message: 'We are on it.' }, as)).disruption);
  expect(edited.updates.map(({ body }) => body)).toEqual(['We are on it.', 'First']);
  expect(edited.updates.map(({ editedAt }) => editedAt)).toEqual([timestampFromDate(clock.now()), undefined]);
  expect(sure((await replica.getDisruption({ id }, as)).disruption)).toEqual(edited);
  const [, , event] = await eventsOf(id, 3);
  expect(event).toMatchObject({
    silent: false,
    deletedUpdateIds: [],
    editedUpdates: [{ id: second, body: 'We are on it.' }],
  });
  // An edit with the same text changes nothing.
  await rpc.editUpdate({ id, updateId: second, message: 'We are on it.' }, as);
  await eventsOf(id, 3);
});

test('an entry can be deleted, but not the only one', async () => {
  const { as, id, first, second } = await open();
  await rpc.deleteUpdate({ id, updateId: second.toUpperCase() }, as);
  const left = sure((await replica.getDisruption({ id }, as)).disruption);
  expect(left.updates.map(({ body }) => body)).toEqual(['First']);
  const [, , event] = await eventsOf(id, 3);
  expect(event).toMatchObject({ silent: true, deletedUpdateIds: [second], editedUpdates: [] });
  await expect(rpc.deleteUpdate({ id, updateId: first }, as)).rejects.toMatchObject({ kind: 'conflict' });
  await expect(rpc.deleteUpdate({ id, updateId: second }, as)).rejects.toMatchObject({
    kind: 'not_found',
    message: 'update not found',
  });
});

test.each([
  ['', 'is required'],
  ['x'.repeat(10_001), 'must be at most 10000 characters'],
])('an entry must have a text of 1 to 10,000 characters', async (message, problem) => {
  const { as, id, first } = await open();
  await expect(rpc.editUpdate({ id, updateId: first, message }, as)).rejects.toMatchObject({
    kind: 'invalid',
    fields: { message: [expect.stringContaining(problem)] },
  });
});

test('an entry of 10,000 characters is accepted', async () => {
  const { as, id, first } = await open();
  const message = 'x'.repeat(10_000);
  const edited = sure((await rpc.editUpdate({ id, updateId: first, message }, as)).disruption);
  expect(edited.updates[1]?.body).toBe(message);
});

test("the entries of another organization's disruption are not found", async () => {
  const { id, first } = await open();
  const stranger = await fixture.as(v7());
  await expect(rpc.editUpdate({ id, updateId: first, message: 'Hi' }, stranger)).rejects.toMatchObject({
    kind: 'not_found',
  });
  await expect(rpc.deleteUpdate({ id, updateId: first }, stranger)).rejects.toMatchObject({ kind: 'not_found' });
});

test('a silent change is marked as silent in its event and in its entry', async () => {
  const as = await fixture.as(v7());
  const { disruption } = await rpc.createDisruption({ title: 'Slow', startedAt, silent: true }, as);
  const { id, updates } = sure(disruption);
  expect(updates).toMatchObject([{ silent: true }]);
  const loud = sure((await rpc.updateDisruption({ id, message: 'Still slow' }, as)).disruption);
  expect(loud.updates.map(({ silent }) => silent)).toEqual([false, true]);
  await rpc.updateDisruption({ id, status: DisruptionStatus.RESOLVED, silent: true }, as);
  const events = await eventually(async () => {
    const found = await fixture.published(id);
    expect(found).toHaveLength(3);
    return found;
  });
  const [created, updated, resolved] = events.map(({ data }) => data);
  expect(fromBinary(DisruptionCreatedSchema, created ?? new Uint8Array()).silent).toBe(true);
  expect(fromBinary(DisruptionUpdatedSchema, updated ?? new Uint8Array()).silent).toBe(false);
  expect(fromBinary(DisruptionResolvedSchema, resolved ?? new Uint8Array()).silent).toBe(true);
});

test('a disruption can be removed from a page and published there again', async () => {
  const { as, id } = await open();
  const taken = sure((await rpc.updateDisruption({ id, unpublishedPageId: PAGE.toUpperCase() }, as)).disruption);
  expect(taken).toMatchObject({ statusPageIds: [], affectedComponents: [] });
  await expect(rpc.updateDisruption({ id, unpublishedPageId: PAGE }, as)).rejects.toMatchObject({
    kind: 'invalid',
    fields: { status_page_id: ['is not a page that it is published to'] },
  });
  const again = sure((await rpc.updateDisruption({ id, ...publication }, as)).disruption);
  expect(again).toMatchObject({ statusPageIds: [PAGE], affectedComponents: [{ id: COMPONENT }] });
});

/** Publishes the event of a monitor that goes down, and returns the automatic disruption. */
async function openAutomatic() {
  const monitor = aMonitor();
  const as = await fixture.as(monitor.organizationId);
  await fixture.publish(monitor.wentDown('2026-01-01T00:00:00Z'));
  const [automatic] = await eventually(async () => {
    const { disruptions } = await rpc.listDisruptions({}, as);
    expect(disruptions).toHaveLength(1);
    return disruptions;
  });
  const disruption = sure(automatic);
  return { as, id: disruption.id, automatic: disruption };
}

test('an automatic title stays automatic until a person changes it', async () => {
  const { as, id, automatic } = await openAutomatic();
  expect(automatic.automaticTitle).toBe(true);
  await rpc.updateDisruption({ id, message: 'We are on it.' }, as);
  expect((await rpc.getDisruption({ id }, as)).disruption?.automaticTitle).toBe(true);
  await rpc.updateDisruption({ id, title: 'Checkout is down' }, as);
  expect((await rpc.getDisruption({ id }, as)).disruption?.automaticTitle).toBe(false);
});

test('automaticText identifies a text that the system wrote, and is unspecified after a person changes the text', async () => {
  const { as, id, automatic } = await openAutomatic();
  await rpc.updateDisruption({ id, status: DisruptionStatus.MONITORING }, as);
  await rpc.updateDisruption({ id, message: 'We are on it.' }, as);
  const textsOf = async () => {
    const { disruption } = await rpc.getDisruption({ id }, as);
    return disruption?.updates.map(({ automaticText }) => automaticText);
  };
  const { UNSPECIFIED, DEFAULT_OF_STATUS, WENT_DOWN } = AutomaticText;
  expect(await textsOf()).toEqual([UNSPECIFIED, DEFAULT_OF_STATUS, WENT_DOWN]);
  const updateId = automatic.updates[0]?.id ?? '';
  await rpc.editUpdate({ id, updateId, message: 'It is slow.' }, as);
  expect(await textsOf()).toEqual([UNSPECIFIED, DEFAULT_OF_STATUS, UNSPECIFIED]);
});

test('a blank message counts as absent, and the text of an entry must not be blank', async () => {
  const { as, id, first } = await open();
  const before = sure((await rpc.getDisruption({ id }, as)).disruption);
  expect(sure((await rpc.updateDisruption({ id, message: ' \u00a0\n\u200b' }, as)).disruption)).toEqual(before);
  await expect(rpc.editUpdate({ id, updateId: first, message: ' \u200b' }, as)).rejects.toThrow('message is required');
  const created = await rpc.createDisruption({ title: 'Slow', startedAt, message: '\u200b' }, as);
  expect(sure(created.disruption).updates).toMatchObject([{ body: 'We are looking into it.' }]);
});
