import type { Transaction } from '@tocsin/database';
import { CHANNEL_TYPES, deliveryStatuses } from '@tocsin/enums';
import { ALERT_KINDS, type Alert, type AlertKind } from '../domain/alert.ts';
import type { Notification, OutageSubject } from '../domain/outage.ts';
import type { Tables } from './tables.ts';

/** Maximum number of alerts on an outage page, and of notifications for all of them. */
const MAX_ALERTS = 50;
const MAX_NOTIFICATIONS = 200;

/**
 * Returns the alerts about a subject, oldest first. Needs a transaction across organizations, because a link names
 * none.
 */
export async function findOutageAlerts(tx: Transaction, { kind, id }: OutageSubject): Promise<Alert[]> {
  const rows = await tx.query<Tables['alert']>(
    `select * from alert where ${kind === 'disruption' ? 'disruption_id' : 'id'} = $1 and kind <> 'incident_closed'
     order by occurred_at, id limit $2`,
    [id, MAX_ALERTS],
  );
  return rows.map(toAlert);
}

/** Returns the notifications of some alerts, in the order in which their deliveries were inserted. */
export async function listNotifications(
  tx: Transaction,
  organizationId: string,
  alertIds: readonly string[],
): Promise<Notification[]> {
  const rows = await tx.query<
    Pick<Tables['delivery'], 'status' | 'finished_at'> & Pick<Tables['channel'], 'name' | 'type'> & { event: string }
  >(
    `select c.name, c.type, a.kind as event, d.status, d.finished_at
     from delivery d join alert a on a.id = d.alert_id join channel c on c.id = d.channel_id
     where d.organization_id = $1 and d.alert_id = any($2::uuid[]) and c.deleted_at is null
     order by d.position limit $3`,
    [organizationId, alertIds, MAX_NOTIFICATIONS],
  );
  return rows.map(({ name, type, event, status, finished_at: finishedAt }) => ({
    channelName: name,
    channelType: known(CHANNEL_TYPES, type),
    event: known(ALERT_KINDS, event),
    status: known(deliveryStatuses.names, status),
    finishedAt: finishedAt ?? undefined,
  }));
}

function toAlert(row: Tables['alert']): Alert {
  return {
    id: row.id,
    organizationId: row.organization_id,
    eventId: row.event_id,
    kind: known<AlertKind>(ALERT_KINDS, row.kind),
    monitor: { id: row.monitor_id, name: row.monitor_name, url: row.monitor_url },
    at: row.at,
    downSince: row.down_since ?? undefined,
    error: row.error,
    certificate:
      row.cert_expires_at && row.cert_days_remaining !== null
        ? { expiresAt: row.cert_expires_at, daysRemaining: row.cert_days_remaining }
        : undefined,
    disruptionId: row.disruption_id ?? undefined,
    occurredAt: row.occurred_at,
  };
}

/**
 * Returns a stored value as the domain's type.
 * @throws Error for another value, which only a bug can have stored.
 */
function known<Name extends string>(names: readonly Name[], text: string): Name {
  const found = names.find((name) => name === text);
  if (!found) throw new Error(`a stored alert or delivery says "${text}", expected one of ${names.join(', ')}`);
  return found;
}
