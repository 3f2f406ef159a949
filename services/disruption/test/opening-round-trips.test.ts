import { openDatabase } from '@tocsin/database';
import { countRoundTrips, testDatabase } from '@tocsin/testing';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { applyMonitorEvent } from '../src/app/apply-monitor-event.ts';
import { migrations } from '../src/storage/migrations/index.ts';
import { entities } from '../src/storage/schema.ts';

test('the disruption of a monitor is opened in five round trips to the database', async () => {
  await using storage = await testDatabase('disruption');
  await using database = await openDatabase({ url: storage.url, entities, migrations });
  const now = new Date('2026-01-01T10:00:00Z');
  const none = async () => [];
  const deps = {
    database,
    now: () => now,
    senderAddress: 'tocsin@example.com',
    components: { whileDown: none, onPageWhileDown: async () => new Map(), namesOnPage: async () => undefined },
  };
  const organizationId = v7();
  const event = { kind: 'went_down', monitor: { id: v7(), name: 'Shop' }, at: now, explanation: '' } as const;
  const roundTrips = await database.transaction({ organizationId }, async (tx) => {
    const counted = countRoundTrips(tx);
    await applyMonitorEvent(deps, { tx: counted, organizationId, event: { ...event, outageId: v7() } });
    return counted.roundTrips;
  });
  const opened = await database.transaction({ organizationId }, (tx) => tx.query('select title from disruption'));
  expect(opened).toHaveLength(1);
  // One is for an open disruption, one for a maintenance of the components, and three are for the inserts.
  expect(roundTrips).toBe(5);
});
