import type { Transaction } from '@tocsin/database';
import type { EventKind } from '@tocsin/enums';
import type { Message } from '../domain/message.ts';

/** A subscription that receives a message. */
export interface Subscribed {
  readonly id: string;
  /** Number of waiting deliveries, at most `countUpTo`; `countUpTo` without counting for the subscriptions `full`. */
  readonly waiting: number;
}

/** Returns enabled subscriptions to a kind of event. Locks them against deletion until the transaction ends. */
export async function lockSubscribed(
  tx: Transaction,
  organizationId: string,
  { kind, countUpTo, full }: { kind: EventKind; countUpTo: number; full: readonly string[] },
): Promise<Subscribed[]> {
  return tx.query<Subscribed & Record<string, unknown>>(
    `select id, case when id = any($4::uuid[]) then $3::int else (
       select count(*)::int from (
         select from delivery d where d.recipient_id = s.id and d.status = 'pending' limit $3::int
       ) w
     ) end as waiting
     from subscription s where organization_id = $1 and enabled and $2 = any(events) order by id for key share`,
    [organizationId, kind, countUpTo, full],
  );
}

/** Inserts a message. Returns false if its event already has a message. */
export async function insertMessage(tx: Transaction, message: Message): Promise<boolean> {
  const { id, organizationId, eventId, kind, body, occurredAt } = message;
  const inserted = await tx.query(
    `insert into message (id, organization_id, event_id, kind, body, occurred_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (organization_id, event_id) do nothing returning id`,
    [id, organizationId, eventId, kind, body, occurredAt],
  );
  return inserted.length > 0;
}
