import type { Transaction } from '@tocsin/database';
import { CHANNEL_TYPES, deliveryStatuses } from '@tocsin/enums';
import { ALERT_KINDS, type Alert, type AlertKind } from '../domain/alert.ts';
import { HOLD_REASONS } from '../domain/hold-back.ts';
import type { Notification, OutageSubject } from '../domain/outage.ts';
import type { Change } from '../domain/storm.ts';
import type { Tables } from './tables.ts';

/** Maximum numbers of alerts and notifications on an outage page. */
const MAX_ALERTS = 50;
const MAX_NOTIFICATIONS = 200;

/**
 * Returns the alerts about a subject, oldest first. Requires a transaction for all organizations, because a link does
 * not contain the organization.
 */
export async function findOutageAlerts(tx: Transaction, { kind, id }: OutageSubject): Promise<Alert[]> {
  const rows = await tx.query<Tables['alert']>(
    `select * from alert where ${kind === 'disruption' ? 'disruption_id' : 'id'} = $1 and kind <> 'incident_closed'
     order by occurred_at, id limit $2`,
    [id, MAX_ALERTS],
  );
  return rows.map(toAlert);
}

interface NotificationRow extends Pick<Tables['channel'], 'name' | 'type'> {
  event: string;
  status: string;
  finished_at: Date | null;
  wait_reason: string | null;
  wait_until: Date | null;
}

/**
 * Returns the notifications of the given alerts, in the order in which their deliveries were inserted. If a delivery
 * was grouped into a later message, its notification has the status of that message until the message is sent. If that
 * message was itself grouped into a later one, the later one counts.
 */
export async function listNotifications(
  tx: Transaction,
  organizationId: string,
  alertIds: readonly string[],
): Promise<Notification[]> {
  const rows = await tx.query<NotificationRow>(
    `select c.name, c.type, a.kind as event,
       case when message.status is null or message.status = 'sent' then d.status else message.status end as status,
       case when d.status = 'grouped' then message.finished_at else d.finished_at end as finished_at,
       coalesce(d.hold_reason, case when s.id is not null then 'storm' end, message.hold_reason) as wait_reason,
       coalesce(d.hold_until, s.due_at, message.hold_until) as wait_until
     from delivery d join alert a on a.id = d.alert_id join channel c on c.id = d.channel_id
     left join storm s on s.id = d.storm_id
     left join lateral (
       select n.status, n.finished_at, n.hold_reason, n.hold_until
       from delivery n join alert b on b.id = n.alert_id
       where d.status = 'grouped' and d.hold_until is null and s.id is null
         and n.channel_id = d.channel_id and n.position > d.position and b.kind = 'monitors_changed'
         and b.changes @> jsonb_build_array(jsonb_build_object('monitorId', a.monitor_id))
         and (n.status <> 'grouped' or n.hold_until is not null)
       order by n.position limit 1
     ) message on true
     where d.organization_id = $1 and d.alert_id = any($2::uuid[]) and c.deleted_at is null
     order by d.position limit $3`,
    [organizationId, alertIds, MAX_NOTIFICATIONS],
  );
  return rows.map(({ name, type, event, status, finished_at: finishedAt, wait_reason: reason, wait_until: until }) => ({
    channelName: name,
    channelType: known(CHANNEL_TYPES, type),
    event: known(ALERT_KINDS, event),
    status: known(deliveryStatuses.names, status),
    finishedAt: finishedAt ?? undefined,
    wait: reason !== null && until ? { reason: known([...HOLD_REASONS, 'storm'], reason), until } : undefined,
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
    changes: (row.changes as readonly Change[] | null) ?? undefined,
    occurredAt: row.occurred_at,
  };
}

/**
 * Converts a stored value to the domain's type.
 * @throws Error for an unknown value, which indicates a bug.
 */
function known<Name extends string>(names: readonly Name[], text: string): Name {
  const found = names.find((name) => name === text);
  if (!found) throw new Error(`a stored alert or delivery says "${text}", expected one of ${names.join(', ')}`);
  return found;
}
