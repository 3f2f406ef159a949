import type { Transaction } from '@tocsin/database';

/**
 * Disables the channels and subscriptions of an organization. Records which of them were enabled, so that
 * resumeRecipients() can enable these again. Drops all unsent deliveries. Deletes the timers of outages, the storms
 * (groups of monitors that change at once), and the subscribers of status pages that have not confirmed.
 */
export async function stopRecipients(tx: Transaction, organizationId: string, now: Date): Promise<void> {
  for (const table of ['channel', 'subscription']) {
    await tx.query(
      `update ${table} set enabled = false, enabled_before_stop = true where organization_id = $1 and enabled`,
      [organizationId],
    );
  }
  await tx.query(
    `update delivery set status = 'dropped', last_error = 'the organization was stopped', finished_at = $2,
       leased_until = null, storm_id = null, hold_reason = null, hold_until = null
     where organization_id = $1 and status in ('pending', 'held', 'grouped')`,
    [organizationId, now],
  );
  // Subscribers that have not confirmed would be asked in the name of the organization.
  await tx.query(`delete from subscriber where organization_id = $1 and status = 'pending'`, [organizationId]);
  for (const table of ['outage_timer', 'storm']) {
    await tx.query(`delete from ${table} where organization_id = $1`, [organizationId]);
  }
}

/** Enables the recipients that were enabled when the organization was stopped, and returns their number. */
export async function resumeRecipients(tx: Transaction, organizationId: string): Promise<number> {
  let resumed = 0;
  for (const table of ['channel', 'subscription']) {
    const rows = await tx.query(
      `update ${table} set enabled = true, enabled_before_stop = false
       where organization_id = $1 and enabled_before_stop returning id`,
      [organizationId],
    );
    resumed += rows.length;
  }
  return resumed;
}
