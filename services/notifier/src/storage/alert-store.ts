import type { Transaction } from '@tocsin/database';
import type { Alert } from '../domain/alert.ts';

/** Writes an alert; false when its event had made one before. */
export async function insertAlert(tx: Transaction, alert: Alert): Promise<boolean> {
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
    occurredAt,
  } = alert;
  const inserted = await tx.query(
    `insert into alert (id, organization_id, event_id, kind, monitor_id, monitor_name, monitor_url, at, down_since, error,
       occurred_at, cert_expires_at, cert_days_remaining, disruption_id, incident_key)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
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
    ],
  );
  return inserted.length > 0;
}
