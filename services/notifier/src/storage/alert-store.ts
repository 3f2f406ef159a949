import type { Transaction } from '@tocsin/database';
import type { Alert } from '../domain/alert.ts';
import { CHANGE_KINDS } from '../domain/storm.ts';
import { ALERTED } from './channel-store.ts';

/**
 * Inserts an alert. Returns false if its event already has an alert. If `ifAlerted` is set, inserts the alert only if
 * lockAlertedChannels() finds one of these channels.
 */
export async function insertAlert(tx: Transaction, alert: Alert, ifAlerted?: readonly string[]): Promise<boolean> {
  const {
    id,
    organizationId,
    eventId,
    kind,
    monitor,
    at,
    downSince,
    error,
    certificate,
    disruptionId,
    incidentKey,
    changes,
    occurredAt,
  } = alert;
  const inserted = await tx.query(
    `insert into alert (id, organization_id, event_id, kind, monitor_id, monitor_name, monitor_url, at, down_since, error,
       occurred_at, cert_expires_at, cert_days_remaining, disruption_id, incident_key, changes)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16
     where $17::uuid[] is null or exists (
       select from channel where organization_id = $2 and id = any($17) and ${ALERTED}
     )
     on conflict (organization_id, event_id) do nothing returning id`,
    [
      id,
      organizationId,
      eventId,
      kind,
      monitor.id,
      monitor.name,
      monitor.url,
      at,
      downSince ?? null,
      error,
      occurredAt,
      certificate?.expiresAt ?? null,
      certificate?.daysRemaining ?? null,
      disruptionId ?? null,
      incidentKey ?? null,
      changes ? JSON.stringify(changes) : null,
      ifAlerted ?? null,
    ],
  );
  return inserted.length > 0;
}

/** Whether there is an alert about a later state change of the same monitor. */
export async function hasLaterChange(
  tx: Transaction,
  { id, organizationId, monitor, occurredAt }: Alert,
): Promise<boolean> {
  const rows = await tx.query(
    `select from alert where organization_id = $1 and monitor_id = $2 and kind = any($3)
       and (occurred_at, id) > ($4, $5) limit 1`,
    [organizationId, monitor.id, CHANGE_KINDS, occurredAt, id],
  );
  return rows.length > 0;
}

/** Returns the ids of the given alerts that have a delivery of any status to a channel. */
export async function findDeliveredAlerts(
  tx: Transaction,
  channelId: string,
  alerts: readonly { readonly id: string }[],
): Promise<Set<string>> {
  const rows = await tx.query<{ alert_id: string }>(
    'select alert_id from delivery where channel_id = $1 and alert_id = any($2::uuid[])',
    [channelId, alerts.map(({ id }) => id)],
  );
  return new Set(rows.map((row) => row.alert_id));
}

/**
 * Returns those of the given channels that were alerted to a monitor's current outage. If `alertId` is set, returns
 * only the channels that got this alert. An alert belongs to the outage if it has the disruption `disruptionId`, or if
 * it has no disruption and is newer than the last recovery before `until`. Ignores deliveries that failed or were
 * dropped.
 */
export async function findAlertedChannels(
  tx: Transaction,
  {
    organizationId,
    monitorId,
    disruptionId,
    alertId,
    until,
  }: { organizationId: string; monitorId: string; disruptionId?: string | undefined; alertId?: string; until?: Date },
  channelIds: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ channel_id: string }>(
    `select distinct d.channel_id from alert a join delivery d on d.alert_id = a.id
     where a.organization_id = $1 and a.monitor_id = $2 and d.channel_id = any($3::uuid[])
       and d.status not in ('failed', 'dropped') and a.kind in ('monitor_down', 'monitor_stale') and ($5::uuid is null or a.id = $5)
       and (a.disruption_id = $4 or $5 is not null or a.disruption_id is null and a.occurred_at > coalesce((
         select max(occurred_at) from alert r
         where r.organization_id = $1 and r.monitor_id = $2 and r.kind = 'monitor_recovered'
           and ($6::timestamptz is null or r.occurred_at < $6)
       ), '-infinity'))`,
    [organizationId, monitorId, channelIds, disruptionId ?? null, alertId ?? null, until ?? null],
  );
  return rows.map((row) => row.channel_id);
}
