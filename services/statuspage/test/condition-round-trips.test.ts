import { openDatabase } from '@tocsin/database';
import { countRoundTrips, testDatabase } from '@tocsin/testing';
import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { recordConditions } from '../src/app/record-condition.ts';
import { migrations } from '../src/storage/migrations/index.ts';
import { entities } from '../src/storage/schema.ts';

test('the conditions of monitors without components are recorded in one round trip to the database', async () => {
  await using storage = await testDatabase('statuspage');
  await using database = await openDatabase({ url: storage.url, entities, migrations });
  const organizationId = v7();
  const condition = { enabled: true, state: 'pending' } as const;
  const changes = [v7(), v7()].map((monitorId) => ({ monitorId, condition, at: new Date('2026-01-01T10:00:00Z') }));
  const roundTrips = await database.transaction({ organizationId }, async (tx) => {
    const counted = countRoundTrips(tx);
    await recordConditions(counted, organizationId, changes);
    return counted.roundTrips;
  });
  const rows = await database.transaction({ organizationId }, (tx) => tx.query('select from monitor_condition'));
  expect(rows).toHaveLength(2);
  expect(roundTrips).toBe(1);
});
