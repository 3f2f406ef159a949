import { fromBinary } from '@bufbuild/protobuf';
import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Disruption, DisruptionStatus, DisruptionType } from '@tocsin/proto/disruption/v1/disruption';
import { DisruptionCreatedSchema, DisruptionUpdatedSchema } from '@tocsin/proto/disruption/v1/events';
import { ComponentStatus } from '@tocsin/proto/statuspage/v1/component_status';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { disruptionFixture } from './start-disruption.ts';

const fixture = await disruptionFixture({
  namesOnPage: async (_organizationId, _statusPageId, ids) => new Map(ids.map((id) => [id, 'API'])),
});
const { rpc, replica } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

const { INVESTIGATING, IDENTIFIED, MONITORING, RESOLVED, SCHEDULED, IN_PROGRESS, COMPLETED } = DisruptionStatus;
const at = (time: string): Timestamp => timestampFromDate(new Date(`2026-01-01T${time}:00Z`));
const publication = () => ({
  statusPageId: v7(),
  components: { components: [{ id: v7(), status: ComponentStatus.MAJOR_OUTAGE }] },
});

async function eventsOf(disruption: Disruption, count: number) {
  return eventually(async () => {
    const events = await fixture.published(disruption.id);
    expect(events).toHaveLength(count);
    return events;
  });
}

test('a past disruption affects no component and publishes one event, and all responses and the event contain the same disruption', async () => {
  const as = await fixture.as(v7());
  const updates = [
    { status: INVESTIGATING, message: 'Slow since ten.', postedAt: at('10:05') },
    { status: IDENTIFIED, postedAt: at('10:30') },
    { status: RESOLVED, message: 'A new disk.', postedAt: at('11:00') },
    { status: RESOLVED, message: 'What we learnt.', postedAt: at('11:00') },
  ];
  const { disruption } = await rpc.createDisruption(
    { title: 'Slow', startedAt: at('10:00'), updates, ...publication() },
    as,
  );
  if (!disruption) throw new Error('no disruption');
  expect(disruption).toMatchObject({
    status: RESOLVED,
    startedAt: at('10:00'),
    resolvedAt: at('11:00'),
    updates: [
      { status: RESOLVED, body: 'What we learnt.', postedAt: at('11:00'), postedBy: 'jane@example.com' },
      { status: RESOLVED, body: 'A new disk.', postedAt: at('11:00') },
      { status: IDENTIFIED, body: 'We know the cause and are working on it.', postedAt: at('10:30') },
      { status: INVESTIGATING, body: 'Slow since ten.', postedAt: at('10:05') },
    ],
    affectedComponents: [{ name: 'API', status: ComponentStatus.OPERATIONAL }],
  });
  expect((await replica.getDisruption({ id: disruption.id }, as)).disruption).toEqual(disruption);
  const [event] = await eventsOf(disruption, 1);
  expect(event?.type).toBe(DisruptionCreatedSchema.typeName);
  expect(fromBinary(DisruptionCreatedSchema, event?.data ?? new Uint8Array()).disruption).toEqual(disruption);
});

test('a past disruption that is reopened affects its components again', async () => {
  const as = await fixture.as(v7());
  const { disruption } = await rpc.createDisruption({ title: 'Slow', resolvedAt: at('11:00'), ...publication() }, as);
  if (!disruption) throw new Error('no disruption');
  expect(disruption).toMatchObject({ status: RESOLVED, startedAt: at('11:00'), resolvedAt: at('11:00') });
  const reopened = await rpc.updateDisruption({ id: disruption.id, status: MONITORING }, as);
  expect(reopened.disruption).toMatchObject({
    status: MONITORING,
    affectedComponents: [{ status: ComponentStatus.MAJOR_OUTAGE }],
  });
  expect(reopened.disruption?.resolvedAt).toBeUndefined();
  const [, event] = await eventsOf(disruption, 2);
  expect(event?.type).toBe(DisruptionUpdatedSchema.typeName);
});

test('a timeline with the maximum number of updates is stored and published completely', async () => {
  const as = await fixture.as(v7());
  const updates = Array.from({ length: 200 }, (_, index) => ({
    status: INVESTIGATING,
    message: `${index} ${'x'.repeat(320)}`,
    postedAt: at('10:00'),
  }));
  const { disruption } = await rpc.createDisruption({ title: 'Slow', updates, status: RESOLVED }, as);
  if (!disruption) throw new Error('no disruption');
  expect(disruption.updates.map(({ body }) => body.split(' ')[0])).toEqual([
    'This',
    ...updates.map((_, index) => String(index)).toReversed(),
  ]);
  expect((await replica.getDisruption({ id: disruption.id }, as)).disruption).toEqual(disruption);
  const [event] = await eventsOf(disruption, 1);
  expect(fromBinary(DisruptionCreatedSchema, event?.data ?? new Uint8Array()).disruption).toEqual(disruption);
});

test('a past maintenance is stored as entered', async () => {
  const as = await fixture.as(v7());
  const updates = [
    { status: SCHEDULED, postedAt: at('08:00') },
    { status: IN_PROGRESS, postedAt: at('10:00') },
    { status: COMPLETED, postedAt: at('11:00') },
  ];
  const times = { startedAt: at('10:00'), endsAt: at('12:00') };
  const wanted = { title: 'New disks', type: DisruptionType.MAINTENANCE, ...times };
  const { disruption } = await rpc.createDisruption({ ...wanted, updates }, as);
  expect(disruption).toMatchObject({ status: COMPLETED, ...times, resolvedAt: at('11:00') });
  expect(disruption?.updates).toHaveLength(3);
});

test('timeline errors are returned with the other errors, and nothing is stored', async () => {
  const as = await fixture.as(v7());
  const updates = [{ status: COMPLETED, postedAt: at('10:00') }, {}];
  const wanted = { title: '', startedAt: at('11:00'), resolvedAt: at('10:30'), updates };
  await expect(rpc.createDisruption(wanted, as)).rejects.toMatchObject({
    kind: 'invalid',
    fields: {
      title: ['is required'],
      'updates.0.status': ['must be one of investigating, identified, monitoring, resolved'],
      'updates.0.posted_at': ['must not be before started_at'],
      'updates.1.status': ['is required'],
      'updates.1.posted_at': ['is required'],
      resolved_at: ['must not be before started_at'],
    },
  });
  expect((await rpc.listDisruptions({}, as)).disruptions).toEqual([]);
});
