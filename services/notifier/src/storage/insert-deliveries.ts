import type { Transaction } from '@tocsin/database';
import type { DeliveryStatus } from '@tocsin/enums';
import type { Hold } from '../domain/hold-back.ts';

/** PostgreSQL notification channel that wakes the workers of all replicas. Each schema has its own channel. */
export const WAKE_CHANNEL_SQL = `'tocsin_deliveries_' || current_schema()`;

/**
 * Content and recipient of a delivery: an alert to a channel, a message to a subscription, an email to an owner, or a
 * notice to a subscriber of a status page.
 */
export type DeliveryTarget =
  | { readonly alertId: string; readonly channelId: string }
  | { readonly messageId: string; readonly subscriptionId: string }
  | { readonly mailId: string; readonly ownerId: string; readonly address: string }
  | { readonly pageNoticeId: string; readonly subscriberId: string };

export type NewDelivery = DeliveryTarget & {
  readonly id: string;
  readonly status: DeliveryStatus;
  /** Why the delivery is not sent. */
  readonly error?: string | undefined;
  /**
   * Storm (many monitors changing at once) that the alert is part of. The next message about the storm lists the alert.
   */
  readonly stormId?: string | undefined;
  /** Set while the alert is held back. */
  readonly hold?: Hold | undefined;
  /** Set for the last message within the channel's limit: the time until which further alerts are held back. */
  readonly heldBackUntil?: Date | undefined;
};

/** Inserts deliveries about one resource, and wakes the workers when the transaction commits. */
export function insertDeliveries(
  tx: Transaction,
  { organizationId, resourceId, now }: { organizationId: string; resourceId: string; now: Date },
  deliveries: readonly NewDelivery[],
): void {
  const column = <Value>(read: (delivery: NewDelivery) => Value) => deliveries.map(read);
  tx.send(
    `with inserted as (
       insert into delivery (id, organization_id, resource_id, alert_id, channel_id, message_id, subscription_id, mail_id,
         owner_id, owner_address, page_notice_id, subscriber_id, recipient_id, status, last_error, storm_id, hold_reason, hold_until, held_back_until, next_attempt_at,
         created_at, finished_at)
       select t.id, $1, $2, t.alert_id, t.channel_id, t.message_id, t.subscription_id, t.mail_id, t.owner_id, t.address,
         t.page_notice_id, t.subscriber_id, coalesce(t.channel_id, t.subscription_id, t.owner_id, t.subscriber_id), t.status, t.error, t.storm_id, t.hold_reason, t.hold_until, t.held_back_until, $3, $3,
         case when t.status = 'pending' then null else $3::timestamptz end
       from unnest($4::uuid[], $5::uuid[], $6::uuid[], $7::uuid[], $8::uuid[], $9::text[], $10::text[], $11::uuid[],
         $12::uuid[], $13::text[], $14::uuid[], $15::text[], $16::timestamptz[], $17::timestamptz[],
         $18::uuid[], $19::uuid[])
         as t(id, alert_id, channel_id, message_id, subscription_id, status, error, mail_id, owner_id, address, storm_id,
           hold_reason, hold_until, held_back_until, page_notice_id, subscriber_id)
     )
     select pg_notify(${WAKE_CHANNEL_SQL}, '')`,
    [
      organizationId,
      resourceId,
      now,
      column(({ id }) => id),
      column((delivery) => ('alertId' in delivery ? delivery.alertId : null)),
      column((delivery) => ('channelId' in delivery ? delivery.channelId : null)),
      column((delivery) => ('messageId' in delivery ? delivery.messageId : null)),
      column((delivery) => ('subscriptionId' in delivery ? delivery.subscriptionId : null)),
      column(({ status }) => status),
      column(({ error }) => error ?? null),
      column((delivery) => ('mailId' in delivery ? delivery.mailId : null)),
      column((delivery) => ('ownerId' in delivery ? delivery.ownerId : null)),
      column((delivery) => ('address' in delivery ? delivery.address : null)),
      column(({ stormId }) => stormId ?? null),
      column(({ hold }) => hold?.reason ?? null),
      column(({ hold }) => hold?.until ?? null),
      column(({ heldBackUntil }) => heldBackUntil ?? null),
      column((delivery) => ('pageNoticeId' in delivery ? delivery.pageNoticeId : null)),
      column((delivery) => ('subscriberId' in delivery ? delivery.subscriberId : null)),
    ],
  );
}
