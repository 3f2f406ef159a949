import type { Transaction } from '@tocsin/database';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { findHeldBack, findOfStorm, findUnsent } from '../src/storage/queued-deliveries.ts';
import { channelFixture } from './channel-fixture.ts';
import { aMonitor } from './start-notifier.ts';

const fixture = await channelFixture({ stormMonitors: 5 });
afterAll(() => fixture[Symbol.asyncDispose]());

/** Returns a transaction that counts the characters of the rows that it reads. */
function countingReads() {
  const counted = { characters: 0 };
  const tx = {
    async query(sql: string, parameters: unknown[]) {
      const rows = await fixture.query(sql, parameters);
      counted.characters += JSON.stringify(rows).length;
      return rows;
    },
  };
  return { counted, tx: tx as unknown as Transaction };
}

test('reading the alerts of many deliveries does not read the large configuration of their channel with each of them', async () => {
  const acme = v7();
  const headers = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`x-${index}`, 'v'.repeat(8_000)]));
  const { id: channelId } = await fixture.newChannel(acme, { headers });
  const monitors = Array.from({ length: 20 }, () => aMonitor(acme, [channelId]));
  await fixture.publish(...monitors.map((monitor) => monitor.wentDown('2026-01-01T10:00:00Z', 'status 502', v7())));
  await eventually(async () => expect(await fixture.deliveriesOf(channelId)).toHaveLength(20));
  const [storm] = await fixture.query<{ id: string }>('select id from storm where organization_id = $1', [acme]);
  const hold = `update delivery set status = 'held', finished_at = now(), hold_until = now(), hold_reason = 'quiet_hours'
    where channel_id = $1`;
  await fixture.query(hold, [channelId]);

  const { counted, tx } = countingReads();
  const of = { organizationId: acme, channelId };
  const stormId = storm?.id ?? '';
  const inStorm = await findOfStorm(tx, { ...of, stormId, since: undefined, after: '0' });
  expect(inStorm.length).toBeGreaterThanOrEqual(10);
  expect(await findHeldBack(tx, { ...of, until: new Date(Date.now() + 60_000) })).toHaveLength(20);
  const held = { since: new Date(0), statuses: ['held'], limit: 100 } as const;
  expect(await findUnsent(tx, of, held)).toHaveLength(20);
  expect(counted.characters).toBeLessThan(100_000);
});
