import type { Database } from '@tocsin/database';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { claimDue } from '../src/app/claim-due.ts';
import { notifierDatabase } from './notifier-database.ts';

const fixture = await notifierDatabase();
afterAll(() => fixture[Symbol.asyncDispose]());

/** Claims all due deliveries. Returns their number, and a setting of PostgreSQL at the end of the claim. */
async function claimWith(setting: string): Promise<{ claimed: number; value: unknown }> {
  let value: unknown;
  const database: Pick<Database, 'transaction'> = {
    transaction: (scope, work) =>
      fixture.database.transaction(scope, async (tx) => {
        // The test server never waits for the disk by default.
        tx.send('set local synchronous_commit to on');
        const result = await work(tx);
        value = Object.values((await tx.query(`show ${setting}`))[0] ?? {})[0];
        return result;
      }),
  };
  const claimed = await claimDue({ database, now: () => new Date() }, { running: [], unrecorded: [] });
  return { claimed: claimed.length, value };
}

test.each([
  ['an attempt does not wait until the lease of its delivery is on the disk', 'synchronous_commit', 'off'],
  ['a claim does not wait for new plans of its joins', 'plan_cache_mode', 'force_generic_plan'],
])('%s', async (_, setting, value) => {
  const organizationId = v7();
  const channelId = await fixture.insertChannel(organizationId);
  const { id, monitor } = await fixture.insertOutage(organizationId);
  await fixture.query(
    // The claim has the time in milliseconds, and PostgreSQL has microseconds.
    `insert into delivery (id, organization_id, alert_id, channel_id, resource_id, status, next_attempt_at, created_at)
     values ($1, $2, $3, $4, $5, 'pending', now() - interval '1 second', now())`,
    [v7(), organizationId, id, channelId, monitor.id],
  );
  expect(await claimWith(setting)).toEqual({ claimed: 1, value });
});
