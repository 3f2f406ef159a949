import { countRoundTrips } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimEvent } from '../src/inbox.ts';
import { storeEvents } from '../src/waiting-events.ts';
import { type Fixture, openFixture, organizationId, query } from './outbox-fixture.ts';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await openFixture();
});

afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
});

const aggregateId = crypto.randomUUID();

test.each([1, 2])('event %i of an aggregate is claimed in one round trip to the database', async (sequence) => {
  const now = new Date();
  const previousAt = sequence > 1 ? now : undefined;
  const meta = {
    id: crypto.randomUUID(),
    type: '',
    organizationId,
    aggregateId,
    sequence,
    occurredAt: now,
    previousAt,
  };
  const claim = () =>
    fixture.database.transaction({ organizationId }, async (tx) => {
      const counted = countRoundTrips(tx);
      return { claimed: await claimEvent(counted, 'reader', meta, now), roundTrips: counted.roundTrips };
    });
  expect(await claim()).toEqual({ claimed: 'next', roundTrips: 1 });
  expect(await claim()).toMatchObject({ claimed: 'seen' });
});

test('an event does not overtake an earlier one that waits in the database, even if the stream lacks both', async () => {
  const now = new Date();
  const old = new Date(now.getTime() - 86_400_000);
  const metaOf = (sequence: number) => ({
    ...{ id: crypto.randomUUID(), type: 'sample', organizationId, aggregateId: waitingId, sequence },
    ...{ occurredAt: old, previousAt: old },
  });
  const waitingId = crypto.randomUUID();
  await storeEvents(fixture.database, 'slow', [{ meta: metaOf(4), trace: '', payload: new Uint8Array() }]);
  const claim = (sequence: number) =>
    fixture.database.transaction({ organizationId }, (tx) => claimEvent(tx, 'slow', metaOf(sequence), now));
  expect(await claim(5)).toBe('early');
  expect(await claim(4)).toBe('next');
  expect(await claim(5)).toBe('next');
  expect(await claim(7)).toBe('early');
  await query(fixture.database, 'delete from waiting_event where aggregate_id = $1', [waitingId]);
  expect(await claim(7)).toBe('next');
});
