import { countRoundTrips } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimEvent } from '../src/inbox.ts';
import { type Fixture, openFixture, organizationId } from './outbox-fixture.ts';

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
