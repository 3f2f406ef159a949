import type { Transaction } from '@tocsin/database';
import { ALERT_KINDS, type Alert, type AlertKind } from '../domain/alert.ts';

/** A delivery in the hands of one worker, with everything that it takes to make an attempt. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly organizationId: string;
  /** Attempts that were made in turn and recorded. */
  readonly attempts: number;
  readonly leasedUntil: Date;
  /** When the fact behind it was committed at its source. */
  readonly occurredAt: Date;
  readonly to: ToChannel | ToSubscription;
}

interface To {
  readonly id: string;
  readonly enabled: boolean;
  readonly revision: number;
}

export interface ToChannel extends To {
  readonly kind: 'channel';
  readonly name: string;
  readonly type: string;
  readonly sealedConfig: string;
  readonly alert: Alert;
}

export interface ToSubscription extends To {
  readonly kind: 'subscription';
  readonly url: string;
  readonly sealedSecret: string;
  readonly body: string;
}

export interface Claim {
  readonly limit: number;
  readonly limitPerRecipient: number;
  /** Channels and subscriptions that have their share already. */
  readonly busyRecipients: readonly string[];
  readonly now: Date;
  readonly leasedUntil: Date;
}

interface CommonRow {
  id: string;
  organization_id: string;
  attempts: number;
  leased_until: Date | null;
  occurred_at: Date;
  recipient_id: string;
  enabled: boolean;
  revision: number;
  sealed: string;
}

interface ChannelRow extends CommonRow {
  channel_id: string;
  channel_name: string;
  type: string;
  alert_id: string;
  event_id: string;
  kind: string;
  monitor_id: string;
  monitor_name: string;
  monitor_url: string;
  at: Date;
  down_since: Date | null;
  error: string;
}

interface SubscriptionRow extends CommonRow {
  channel_id: null;
  url: string;
  body: string;
}

const COLUMNS = `d.id, d.organization_id, d.attempts, d.leased_until, d.recipient_id, d.channel_id,
  coalesce(a.occurred_at, m.occurred_at) as occurred_at, coalesce(c.enabled, s.enabled) as enabled,
  coalesce(c.revision, s.revision) as revision, coalesce(c.sealed_config, s.sealed_secret) as sealed,
  a.id as alert_id, a.event_id, a.kind, a.monitor_id, a.monitor_name, a.monitor_url, a.at, a.down_since, a.error,
  c.name as channel_name, c.type, s.url, m.body`;

const JOINS = `left join alert a on a.id = d.alert_id left join channel c on c.id = d.channel_id
  left join message m on m.id = d.message_id left join subscription s on s.id = d.subscription_id`;

/**
 * Takes deliveries that are due, of all organizations; a claim of any number of replicas gets others.
 *
 * Of each resource and recipient only the oldest unfinished one is taken, so that a recovery never overtakes its down.
 * Every recipient gets a share, so that a thousand deliveries to a slow one do not keep the others waiting.
 */
export async function claimDeliveries(tx: Transaction, claim: Claim): Promise<ClaimedDelivery[]> {
  const rows = await tx.query<ChannelRow | SubscriptionRow>(
    `with due as (
       select d.id
       from (select distinct recipient_id from delivery where status = 'pending' and recipient_id <> all($3::uuid[])) r
       cross join lateral (
         select d.id, d.next_attempt_at from (
           select distinct on (resource_id) id from delivery
           where recipient_id = r.recipient_id and status = 'pending' order by resource_id, position
         ) oldest join delivery d on d.id = oldest.id
         where d.status = 'pending' and d.next_attempt_at <= $1 and (d.leased_until is null or d.leased_until <= $1)
         order by d.position limit $4
         for update of d skip locked
       ) d
       order by d.next_attempt_at limit $2
     ), d as (
       update delivery set leased_until = $5 where id in (select id from due)
       returning id, organization_id, position, attempts, leased_until, recipient_id, alert_id, channel_id, message_id,
         subscription_id
     )
     select ${COLUMNS} from d ${JOINS} order by d.position`,
    [claim.now, claim.limit, claim.busyRecipients, claim.limitPerRecipient, claim.leasedUntil],
  );
  return rows.map(toClaimed);
}

/** A delivery of a subscription as it would be claimed, whatever became of it; nobody else is kept from it. */
export async function findForAttempt(
  tx: Transaction,
  organizationId: string,
  { id, subscriptionId }: { id: string; subscriptionId: string },
): Promise<ClaimedDelivery | undefined> {
  const rows = await tx.query<SubscriptionRow>(
    `select ${COLUMNS} from delivery d ${JOINS} where d.organization_id = $1 and d.subscription_id = $2 and d.id = $3`,
    [organizationId, subscriptionId, id],
  );
  return rows.map(toClaimed)[0];
}

function toClaimed(row: ChannelRow | SubscriptionRow): ClaimedDelivery {
  const { id, organization_id: organizationId, attempts, occurred_at: occurredAt, enabled, revision } = row;
  const to = { id: row.recipient_id, enabled, revision };
  return {
    id,
    organizationId,
    attempts,
    leasedUntil: row.leased_until ?? new Date(0),
    occurredAt,
    to:
      row.channel_id === null
        ? { ...to, kind: 'subscription', url: row.url, sealedSecret: row.sealed, body: row.body }
        : {
            ...to,
            kind: 'channel',
            name: row.channel_name,
            type: row.type,
            sealedConfig: row.sealed,
            alert: toAlert(row),
          },
  };
}

function toAlert(row: ChannelRow): Alert {
  return {
    id: row.alert_id,
    organizationId: row.organization_id,
    eventId: row.event_id,
    kind: kindOf(row.kind),
    monitor: { id: row.monitor_id, name: row.monitor_name, url: row.monitor_url },
    at: row.at,
    downSince: row.down_since ?? undefined,
    error: row.error,
    occurredAt: row.occurred_at,
  };
}

function kindOf(text: string): AlertKind {
  const found = ALERT_KINDS.find((kind) => kind === text);
  if (!found)
    throw new Error(`a stored alert is of the unknown kind "${text}", expected one of ${ALERT_KINDS.join(', ')}`);
  return found;
}
