import { fromBinary } from '@bufbuild/protobuf';
import { MAX_ENTERED_BYTES, MAX_UPDATES } from '@tocsin/enums';
import { MAX_EVENT_BYTES } from '@tocsin/outbox';
import { DisruptionCreatedSchema, DisruptionUpdatedSchema } from '@tocsin/proto/disruption/v1/events';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { MAX_COMPONENTS, MAX_MESSAGE, MAX_TITLE, type OpenDisruption } from '../domain/disruption.ts';
import { disruptionChanged, disruptionCreated } from './outgoing.ts';

const now = new Date('2026-03-01T12:00:00Z');

function disruptionWith(updates: number, body: string, components: number, name: string): OpenDisruption {
  return {
    id: v7(),
    organizationId: v7(),
    title: '𝄞'.repeat(MAX_TITLE),
    automaticTitle: false,
    hiddenPageIds: [],
    type: 'disruption',
    status: 'investigating',
    impact: 'major',
    origin: { kind: 'person' },
    startedAt: now,
    endsAt: undefined,
    dueAt: undefined,
    resolvedAt: undefined,
    updates: Array.from({ length: updates }, () => ({
      id: v7(),
      status: 'investigating' as const,
      body,
      explanation: undefined,
      automatic: false,
      automaticText: undefined,
      postedAt: now,
      editedAt: undefined,
      silent: false,
      postedBy: 'jane@example.com',
    })),
    affectedComponents: Array.from({ length: components }, () => ({
      id: v7(),
      name,
      statusPageId: v7(),
      status: 'major_outage' as const,
    })),
    statusPageIds: Array.from({ length: 100 }, () => v7()),
    acknowledgement: undefined,
    createdAt: now,
    updatedAt: now,
  };
}

test('the event for the largest disruption is within the size limit, and contains the newest entry and all components', () => {
  const largest = disruptionWith(MAX_UPDATES + 1, '𝄞'.repeat(MAX_MESSAGE), MAX_COMPONENTS, '𝄞'.repeat(255));
  const { payload } = disruptionChanged(largest, largest);
  expect(payload.length).toBeLessThan(MAX_EVENT_BYTES);
  const { disruption } = fromBinary(DisruptionUpdatedSchema, payload);
  expect(disruption?.updates.map(({ id }) => id)).toEqual(largest.updates.slice(0, 2).map(({ id }) => id));
  expect(disruption?.updates[0]?.body).toBe(largest.updates[0]?.body);
  expect(disruption?.affectedComponents.map(({ id }) => id)).toEqual(largest.affectedComponents.map(({ id }) => id));
});

test('the event for an ordinary disruption contains all entries and components; a missing explanation is empty text', () => {
  const ordinary = disruptionWith(30, 'We are looking into it.', 20, 'Checkout in Europe');
  const { disruption } = fromBinary(DisruptionUpdatedSchema, disruptionChanged(ordinary, ordinary).payload);
  expect(disruption?.updates).toHaveLength(30);
  expect(disruption?.updates.every(({ explanation }) => explanation === '')).toBe(true);
  expect(disruption?.affectedComponents.every(({ name }) => name === 'Checkout in Europe')).toBe(true);
});

test('the event for a new disruption that was entered with a long timeline contains the complete timeline', () => {
  const entered = disruptionWith(MAX_UPDATES + 1, 'x'.repeat(MAX_ENTERED_BYTES / MAX_UPDATES + 60), 0, '');
  const { disruption } = fromBinary(DisruptionCreatedSchema, disruptionCreated(entered).payload);
  expect(disruption?.updates).toHaveLength(MAX_UPDATES + 1);
});
