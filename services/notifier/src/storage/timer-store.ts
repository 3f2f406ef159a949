import type { Transaction } from '@tocsin/database';
import { withOrganizations } from './organizations-with-rows.ts';
import type { Tables } from './tables.ts';

/** Time at which a channel is alerted or reminded if an outage continues and is not acknowledged. */
export interface OutageTimer {
  readonly kind: 'escalation' | 'reminder';
  /** Alert that reported the outage or the missing data. */
  readonly alertId: string;
  readonly channelId: string;
  readonly organizationId: string;
  readonly monitorId: string;
  readonly dueAt: Date;
}

/** Inserts timers. An existing timer stays unchanged. */
export function insertTimers(tx: Transaction, timers: readonly OutageTimer[]): void {
  if (timers.length === 0) return;
  tx.send(
    `insert into outage_timer (kind, alert_id, channel_id, organization_id, monitor_id, due_at)
     select * from unnest($1::text[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::timestamptz[])
     on conflict do nothing`,
    [
      timers.map(({ kind }) => kind),
      timers.map(({ alertId }) => alertId),
      timers.map(({ channelId }) => channelId),
      timers.map(({ organizationId }) => organizationId),
      timers.map(({ monitorId }) => monitorId),
      timers.map(({ dueAt }) => dueAt),
    ],
  );
}

/** Deletes the timers of a monitor, except the timers for the given channels. */
export function deleteTimersOf(
  tx: Transaction,
  {
    organizationId,
    monitorId,
    exceptChannelIds = [],
  }: { organizationId: string; monitorId: string; exceptChannelIds?: readonly string[] },
): void {
  tx.send('delete from outage_timer where organization_id = $1 and monitor_id = $2 and channel_id <> all($3::uuid[])', [
    organizationId,
    monitorId,
    exceptChannelIds,
  ]);
}

/** Deletes the timers of an alert. */
export async function deleteTimersOfAlert(tx: Transaction, organizationId: string, alertId: string): Promise<void> {
  await tx.query('delete from outage_timer where organization_id = $1 and alert_id = $2', [organizationId, alertId]);
}

/** An alert with a due timer. */
export interface DueAlert {
  readonly alertId: string;
  readonly organizationId: string;
  readonly monitorId: string;
  readonly disruptionId: string | undefined;
}

/** Common table expression with the organizations that have timers, due or not. */
const WITH_ORGANIZATIONS = withOrganizations('outage_timer');

/** SQL expression for the time at which a timer is due. */
export const TIMER_DUE = `(${WITH_ORGANIZATIONS}
  select min((
    select t.due_at from outage_timer t where t.organization_id = organization.id order by t.due_at limit 1
  )) from organization)`;

/**
 * Returns alerts with due timers, from organizations in turn: first the alert of each organization whose timer became
 * due first. Reads at most `limit` timers of each organization. Needs a transaction across organizations.
 */
export async function alertsWithDueTimers(tx: Transaction, now: Date, limit: number): Promise<DueAlert[]> {
  const rows = await tx.query<Pick<Tables['alert'], 'id' | 'organization_id' | 'monitor_id' | 'disruption_id'>>(
    `${WITH_ORGANIZATIONS}
     select a.id, a.organization_id, a.monitor_id, a.disruption_id
     from organization cross join lateral (
       select oldest.alert_id, min(oldest.due_at) as due_at, row_number() over (order by min(oldest.due_at)) as turn
       from (
         select t.alert_id, t.due_at from outage_timer t
         where t.organization_id = organization.id and t.due_at <= $1 order by t.due_at limit $2
       ) oldest group by oldest.alert_id
     ) due join alert a on a.id = due.alert_id
     order by due.turn, due.due_at limit $2`,
    [now, limit],
  );
  return rows.map((row) => ({
    alertId: row.id,
    organizationId: row.organization_id,
    monitorId: row.monitor_id,
    disruptionId: row.disruption_id ?? undefined,
  }));
}

/** Postpones the due timers of an alert. */
export async function postponeTimers(
  tx: Transaction,
  { organizationId, alertId, now, until }: { organizationId: string; alertId: string; now: Date; until: Date },
): Promise<void> {
  await tx.query('update outage_timer set due_at = $4 where organization_id = $1 and alert_id = $2 and due_at <= $3', [
    organizationId,
    alertId,
    now,
    until,
  ]);
}

/** Makes the reminders to a channel due that were postponed to the given time. */
export async function makeRemindersDue(
  tx: Transaction,
  { id, organizationId }: { readonly id: string; readonly organizationId: string },
  { postponedTo, now }: { postponedTo: Date; now: Date },
): Promise<void> {
  await tx.query(
    `update outage_timer set due_at = $4
     where organization_id = $1 and channel_id = $2 and kind = 'reminder' and due_at = $3`,
    [organizationId, id, postponedTo, now],
  );
}

/**
 * Drops a monitor's unsent reminders, except those to the given channels. A reminder whose attempt is running may still
 * arrive, but is not retried.
 */
export function dropReminders(
  tx: Transaction,
  {
    organizationId,
    monitorId,
    exceptChannelIds = [],
  }: { organizationId: string; monitorId: string; exceptChannelIds?: readonly string[] },
  now: Date,
): void {
  tx.send(
    `update delivery d set status = 'dropped', last_error = 'the outage is over', finished_at = $4, storm_id = null,
       hold_reason = null, hold_until = null
     from alert a
     where a.id = d.alert_id and a.organization_id = $1 and a.monitor_id = $2 and a.kind = 'monitor_still_down'
       and d.channel_id <> all($3::uuid[]) and (d.status in ('pending', 'held') or d.hold_until is not null)`,
    [organizationId, monitorId, exceptChannelIds, now],
  );
}

/**
 * Deletes the due timers of an alert and returns these timers. Each timer is returned to only one of several concurrent
 * calls.
 */
export async function takeDueTimers(
  tx: Transaction,
  { organizationId, alertId, now }: { organizationId: string; alertId: string; now: Date },
): Promise<OutageTimer[]> {
  const rows = await tx.query<Tables['outage_timer']>(
    `delete from outage_timer where organization_id = $1 and alert_id = $2 and due_at <= $3 returning *`,
    [organizationId, alertId, now],
  );
  return rows.map((row) => ({
    kind: row.kind === 'escalation' ? 'escalation' : 'reminder',
    alertId: row.alert_id,
    channelId: row.channel_id,
    organizationId: row.organization_id,
    monitorId: row.monitor_id,
    dueAt: row.due_at,
  }));
}
