import type { Transaction } from '@tocsin/database';
import type { ChannelType } from '@tocsin/enums';
import { NIL } from 'uuid';
import { LANE_SHARES, LANES, type Lane, type LaneEntry, laneOf, SlotCounter } from '../domain/delivery-shares.ts';
import { rateOf } from '../domain/rates.ts';
import { type ClaimedDelivery, COLUMNS, JOINS, type Row, toClaimed } from './delivery-rows.ts';
import { withOrganizations } from './organizations-with-rows.ts';
import { pauseUnlessPaused } from './paused-recipient-store.ts';
import { repairHeads } from './repair-heads.ts';

export interface Claim {
  /** Attempts that are already running. They occupy slots, so fewer deliveries can be claimed. */
  readonly running: Iterable<LaneEntry>;
  /**
   * Ids of deliveries that the caller attempts, or whose outcomes it has not recorded. They are not claimed, even if
   * their leases have ended.
   */
  readonly unrecorded: readonly string[];
  readonly now: Date;
  readonly leasedUntil: Date;
  /** End of the lease of a delivery by email. */
  readonly mailLeasedUntil: Date;
}

/** Maximum number of deliveries that one call of claimDeliveries() considers, per organization and in total. */
const CANDIDATES_PER_ORGANIZATION = 64;
const CANDIDATES = 512;
/** Maximum number of first attempts, and of retries, to one recipient that one call considers. */
const CANDIDATES_PER_RECIPIENT = Math.max(LANE_SHARES.first.perRecipient, LANE_SHARES.retry.perRecipient);
/** Maximum number of deliveries to subscribers of status pages that one call considers in addition. */
const SUBSCRIBER_CANDIDATES = 64;

/** Common table expression with the organizations that have unfinished deliveries. */
const WITH_ORGANIZATIONS = withOrganizations('delivery_head');

/**
 * SQL expression for the time at which claimDeliveries() finds a delivery, if a slot is free and the recipient is not
 * paused.
 */
export const DELIVERY_DUE = `(${WITH_ORGANIZATIONS}
  select min((
    select h.due_at from delivery_head h
    where h.organization_id = organization.id and h.to_subscriber = lane.to_subscriber
    order by h.due_at limit 1
  )) from organization cross join (values (false), (true)) as lane (to_subscriber))`;

const EMAIL = 'email' satisfies ChannelType;

interface CandidateRow {
  delivery_id: string;
  organization_id: string;
  recipient_id: string;
  attempts: number;
  slow: boolean;
  to_subscriber: boolean;
  channel_type: string | null;
}

/**
 * Claims due deliveries from organizations in turn. Concurrent claims by other replicas get different deliveries. For
 * each pair of resource and recipient, only the oldest unfinished delivery is claimed, so that a recovery is never sent
 * before the alert that the monitor is down. The number of claimed deliveries is limited by free slots: see
 * delivery-shares.ts.
 */
export async function claimDeliveries(tx: Transaction, claim: Claim): Promise<ClaimedDelivery[]> {
  const slots = new SlotCounter(claim.running);
  const candidates = await findCandidates(tx, claim, slots);
  const withSlots = candidates.filter((row) => slots.tryTake(entryOf(row)));
  const chosen = await keepPace(tx, withSlots, claim.now);
  if (chosen.length === 0) return [];
  const ids = chosen.map(({ delivery_id }) => delivery_id);
  const ofEmailChannels = chosen.filter((row) => row.channel_type === EMAIL).map(({ delivery_id }) => delivery_id);
  // All lookups are by key, so the plan does not depend on the parameters. By default, PostgreSQL would plan the joins
  // again in each of a connection's first five claims, which takes milliseconds.
  tx.send('set local plan_cache_mode to force_generic_plan');
  const rows = await tx.query<Row>(
    `with due as (
       select id from delivery
       where id = any($1::uuid[]) and status = 'pending' and next_attempt_at <= $2
         and (leased_until is null or leased_until <= $2)
       for update skip locked
     ), d as (
       update delivery set leased_until =
         case when mail_id is not null or subscriber_id is not null or id = any($4::uuid[]) then $5::timestamptz
              else $3::timestamptz end
       where id in (select id from due)
       returning id, organization_id, created_at, due_since, next_attempt_at, late, status, position, attempts, leased_until, recipient_id, alert_id, channel_id, message_id,
         subscription_id, mail_id, owner_address, reached, held_back_until, subscriber_id, page_notice_id
     )
     select ${COLUMNS} from d ${JOINS} order by d.position`,
    [ids, claim.now, claim.leasedUntil, ofEmailChannels, claim.mailLeasedUntil],
  );
  if (rows.length < ids.length) await repairHeads(tx, ids);
  const slow = new Set(chosen.filter((row) => row.slow).map(({ recipient_id }) => recipient_id));
  return rows.map(toClaimed).map((claimed) => ({ ...claimed, slow: slow.has(claimed.to.id) }));
}

/**
 * Returns due deliveries of organizations and recipients that have a free slot. Reads no others, so that the deliveries
 * that wait for receivers that hang cost nothing, however many they are.
 */
async function findCandidates(
  tx: Transaction,
  { now, running, unrecorded }: Claim,
  slots: SlotCounter,
): Promise<CandidateRow[]> {
  const entries = [...running];
  const organizations = [...new Set(entries.map(({ organizationId }) => organizationId))];
  const without = (lane: Lane) => organizations.filter((id) => !slots.hasRoom(lane, id));
  const full = LANES.filter((lane) => slots.free(lane) === 0);
  const busy = entries.filter((entry) => slots.isBusy(entry.lane, entry.recipientId)).map((entry) => entry.recipientId);
  // The innermost queries read one index in its order and stop at their limits, regardless of the planner's statistics:
  // it may otherwise take a table that has just grown for small, and read and sort all of it. PostgreSQL evaluates a
  // scalar subquery by key, whereas it may read the whole table for `exists` or a join.
  tx.send('set local enable_bitmapscan to off');
  return tx.query<CandidateRow>(
    `${WITH_ORGANIZATIONS}, paused as materialized (
       select array(select recipient_id from paused_recipient where until > $1) as ids
     ), others as materialized (
       select c.* from organization cross join lateral (
         select due.*, row_number() over (order by due.due_at) as turn from (
           with recursive recipient as (
             select '${NIL}'::uuid as id
             union all
             select (select h.recipient_id from delivery_head h
                     where h.organization_id = organization.id and not h.to_subscriber and h.recipient_id > recipient.id
                     order by h.recipient_id limit 1)
             from recipient where recipient.id is not null
           ), free as (
             select id, (select true from slow_recipient s where s.recipient_id = recipient.id) is not null as slow
             from recipient
             where id is not null and id <> all($7::uuid[]) and id <> all((select ids from paused)::uuid[])
           )
           select head.*, free.slow from free cross join (values (false), (true)) as kind (is_retry) cross join lateral (
             select h.delivery_id, h.organization_id, h.recipient_id, h.attempts, h.due_at, h.to_subscriber
             from delivery_head h
             where h.organization_id = organization.id and h.recipient_id = free.id and not h.to_subscriber
               and (h.attempts > 0) = kind.is_retry and h.due_at <= $1 and h.delivery_id <> all($12::uuid[])
             order by h.due_at limit $13
           ) head
           where case when free.slow then 'slow' <> all($8::text[]) and organization.id <> all($2::uuid[])
                      when kind.is_retry then 'retry' <> all($8::text[]) and organization.id <> all($4::uuid[])
                      else 'first' <> all($8::text[]) and organization.id <> all($3::uuid[]) end
           order by head.due_at limit $5
         ) due
         where $1 >= (
           select h.due_at from delivery_head h
           where h.organization_id = organization.id and not h.to_subscriber order by h.due_at limit 1
         )
       ) c order by c.turn, c.due_at limit $6
     ), to_subscribers as materialized (
       select c.* from organization cross join lateral (
         select due.*, row_number() over (order by due.due_at) as turn from (
           select h.delivery_id, h.organization_id, h.recipient_id, h.attempts, h.due_at, h.to_subscriber, false as slow
           from delivery_head h
           where h.organization_id = organization.id and h.to_subscriber and h.due_at <= $1
             and h.recipient_id <> all($7::uuid[]) and h.delivery_id <> all($12::uuid[])
             and 'subscriber' <> all($8::text[]) and organization.id <> all($9::uuid[])
           order by h.due_at limit $10
         ) due
       ) c order by c.turn, c.due_at limit $11
     )
     select c.*, channel.type as channel_type from (select * from others union all select * from to_subscribers) c
     left join channel on channel.id = c.recipient_id order by c.to_subscriber, c.turn, c.due_at`,
    [
      now,
      without('slow'),
      without('first'),
      without('retry'),
      CANDIDATES_PER_ORGANIZATION,
      CANDIDATES,
      busy,
      full,
      without('subscriber'),
      LANE_SHARES.subscriber.perOrganization,
      SUBSCRIBER_CANDIDATES,
      unrecorded,
      CANDIDATES_PER_RECIPIENT,
    ],
  );
}

/**
 * Returns the deliveries that may be sent now. If the provider has a rate limit, a channel gets one message and is then
 * paused.
 */
async function keepPace(tx: Transaction, rows: readonly CandidateRow[], now: Date): Promise<CandidateRow[]> {
  const free = rows.filter((row) => rateOf(row.channel_type ?? '').intervalMs === 0);
  const paced = new Map<string, CandidateRow>();
  for (const row of rows) if (!free.includes(row) && !paced.has(row.recipient_id)) paced.set(row.recipient_id, row);
  if (paced.size === 0) return free;
  const pauses = [...paced.values()].map((row) => ({
    recipientId: row.recipient_id,
    organizationId: row.organization_id,
    until: new Date(now.getTime() + rateOf(row.channel_type ?? '').intervalMs),
  }));
  const mayBeSent = await pauseUnlessPaused(tx, pauses, now);
  return [...free, ...[...paced.values()].filter((row) => mayBeSent.has(row.recipient_id))];
}

function entryOf({ organization_id: organizationId, recipient_id: recipientId, attempts, slow, ...row }: CandidateRow) {
  return { organizationId, recipientId, lane: laneOf({ attempts, slow, toSubscriber: row.to_subscriber }) };
}
