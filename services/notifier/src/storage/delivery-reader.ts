import type { Transaction } from '@tocsin/database';
import { type DeliveryStatus, deliveryStatuses } from '@tocsin/enums';
import { cutPart, type Paging, type Part } from '@tocsin/paging';
import { type Delivery, MAX_KEPT_ATTEMPTS } from '../domain/delivery.ts';
import type { Tables } from './tables.ts';

/** Recipient whose deliveries are read. */
export type Recipient = { readonly channelId: string } | { readonly subscriptionId: string };

interface DeliveryRow
  extends Pick<
    Tables['delivery'],
    'id' | 'resource_id' | 'status' | 'last_error' | 'next_attempt_at' | 'created_at' | 'late'
  > {
  event: string;
  attempts: readonly {
    at: string;
    http_status: number | null;
    error: string | null;
    duration_ms: number;
    response: string | null;
  }[];
  request_body: string | null;
}

/** Number of characters after which a returned message body is truncated. */
const MAX_SHOWN_BODY = 10_000;

const SELECT = `select d.id, coalesce(a.kind, m.kind) as event, d.resource_id, d.status, d.last_error, d.next_attempt_at,
    d.created_at, d.late, left(m.body, ${MAX_SHOWN_BODY}) as request_body, coalesce((
      select json_agg(t order by t.at, t.id) from (
        select id, at, http_status, error, duration_ms, response from delivery_attempt where delivery_id = d.id
        order by at desc, id desc limit ${MAX_KEPT_ATTEMPTS}
      ) t
    ), '[]') as attempts
  from delivery d left join alert a on a.id = d.alert_id left join message m on m.id = d.message_id
  where d.organization_id = $1`;

/** Returns a page of deliveries with their newest attempts, newest delivery first. */
export async function listDeliveries(
  tx: Transaction,
  organizationId: string,
  { status, ...recipient }: Recipient & { readonly status?: DeliveryStatus | undefined },
  paging: Paging,
): Promise<Part<Delivery>> {
  const [column, id] =
    'channelId' in recipient ? ['channel_id', recipient.channelId] : ['subscription_id', recipient.subscriptionId];
  const rows = await tx.query<DeliveryRow>(
    `${SELECT} and d.${column} = $2 and ($3::uuid is null or d.id < $3)
       and ($5::text is null or d.status = $5) order by d.id desc limit $4`,
    [organizationId, id, paging.before ?? null, paging.limit + 1, status ?? null],
  );
  return cutPart(rows.map(toDelivery), paging);
}

export async function findDelivery(tx: Transaction, organizationId: string, id: string): Promise<Delivery | undefined> {
  const rows = await tx.query<DeliveryRow>(`${SELECT} and d.id = $2`, [organizationId, id]);
  return rows.map(toDelivery)[0];
}

function toDelivery(row: DeliveryRow): Delivery {
  const status = statusOf(row.status);
  return {
    id: row.id,
    event: row.event,
    resourceId: row.resource_id,
    status,
    error: row.last_error ?? undefined,
    attempts: row.attempts.map(({ at, http_status, error, duration_ms, response }) => ({
      at: new Date(at),
      httpStatus: http_status ?? undefined,
      error: error ?? undefined,
      durationMs: duration_ms,
      response: response ?? undefined,
    })),
    nextAttemptAt: status === 'pending' ? row.next_attempt_at : undefined,
    createdAt: row.created_at,
    late: row.late,
    requestBody: row.request_body ?? undefined,
  };
}

function statusOf(text: string): DeliveryStatus {
  const found = deliveryStatuses.names.find((status) => status === text);
  if (!found) throw new Error(`a stored delivery has the unknown status "${text}"`);
  return found;
}
