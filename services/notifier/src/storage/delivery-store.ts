import type { Transaction } from '@tocsin/database';
import { v7 } from 'uuid';
import { ALERT_KINDS, type Alert, type AlertKind } from '../domain/alert.ts';

/** A delivery in the hands of one worker, with everything that it takes to make an attempt. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly organizationId: string;
  /** Attempts that were made and recorded. */
  readonly attempts: number;
  readonly leasedUntil: Date;
  readonly alert: Alert;
  readonly channel: {
    readonly id: string;
    readonly name: string;
    readonly type: string;
    readonly enabled: boolean;
    readonly revision: number;
    readonly sealedConfig: string;
  };
}

export interface Claim {
  readonly limit: number;
  readonly limitPerChannel: number;
  /** Channels that have their share already. */
  readonly busyChannels: readonly string[];
  readonly now: Date;
  readonly leasedUntil: Date;
}

interface ClaimedRow {
  id: string;
  organization_id: string;
  attempts: number;
  leased_until: Date;
  alert_id: string;
  event_id: string;
  kind: string;
  monitor_id: string;
  monitor_name: string;
  monitor_url: string;
  at: Date;
  down_since: Date | null;
  error: string;
  occurred_at: Date;
  channel_id: string;
  channel_name: string;
  type: string;
  enabled: boolean;
  revision: number;
  sealed_config: string;
}

/**
 * Takes deliveries that are due, of all organizations; a claim of any number of replicas gets others.
 *
 * Of each monitor and channel only the oldest unfinished one is taken, so that a recovery never overtakes its down. Every
 * channel gets a share, so that a thousand alerts for one slow receiver do not keep the others waiting.
 */
export async function claimDeliveries(tx: Transaction, claim: Claim): Promise<ClaimedDelivery[]> {
  const rows = await tx.query<ClaimedRow>(
    `with due as (
       select d.id
       from (select distinct channel_id from delivery where status = 'pending' and channel_id <> all($3::uuid[])) c
       cross join lateral (
         select id, next_attempt_at from delivery d
         where d.channel_id = c.channel_id and status = 'pending' and next_attempt_at <= $1
           and (leased_until is null or leased_until <= $1)
           and not exists (
             select from delivery older
             where older.monitor_id = d.monitor_id and older.channel_id = d.channel_id
               and older.status = 'pending' and older.position < d.position
           )
         order by position limit $4
         for update skip locked
       ) d
       order by d.next_attempt_at limit $2
     ), claimed as (
       update delivery set leased_until = $5 where id in (select id from due)
       returning id, organization_id, position, attempts, leased_until, alert_id, channel_id
     )
     select d.id, d.organization_id, d.attempts, d.leased_until,
       a.id as alert_id, a.event_id, a.kind, a.monitor_id, a.monitor_name, a.monitor_url, a.at, a.down_since, a.error, a.occurred_at,
       c.id as channel_id, c.name as channel_name, c.type, c.enabled, c.revision, c.sealed_config
     from claimed d join alert a on a.id = d.alert_id join channel c on c.id = d.channel_id
     order by d.position`,
    [claim.now, claim.limit, claim.busyChannels, claim.limitPerChannel, claim.leasedUntil],
  );
  return rows.map(toClaimed);
}

/** What an attempt was like. */
export interface AttemptRecord {
  readonly at: Date;
  readonly outcome: string;
  readonly httpStatus: number | undefined;
  readonly durationMs: number;
  readonly error: string | undefined;
}

/** Notes an attempt; nothing when the delivery is gone, because its channel is. */
export async function insertAttempt(
  tx: Transaction,
  { id, organizationId }: ClaimedDelivery,
  { at, outcome, httpStatus, durationMs, error }: AttemptRecord,
): Promise<void> {
  await tx.query(
    `insert into delivery_attempt (id, delivery_id, organization_id, at, outcome, http_status, duration_ms, error)
     select $1, id, organization_id, $4, $5, $6, $7, $8 from delivery where id = $2 and organization_id = $3`,
    [v7(), id, organizationId, at, outcome, httpStatus ?? null, Math.round(durationMs), error ?? null],
  );
}

/** The receiver has it: true whoever holds the lease by now. Answers whether it was still open. */
export async function markSent(
  tx: Transaction,
  { id, organizationId, attempts }: ClaimedDelivery,
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(
    `update delivery set status = 'sent', attempts = $3, leased_until = null, last_error = null, finished_at = $4
     where id = $1 and organization_id = $2 and status = 'pending' returning id`,
    [id, organizationId, attempts + 1, now],
  );
  return rows.length > 0;
}

/** Puts a delivery off; false when somebody else holds it by now, whose attempt counts instead. */
export async function putOff(
  tx: Transaction,
  { id, organizationId, attempts, leasedUntil }: ClaimedDelivery,
  { at, error }: { at: Date; error: string },
): Promise<boolean> {
  const rows = await tx.query(
    `update delivery set attempts = $4, next_attempt_at = $5, leased_until = null, last_error = $6
     where id = $1 and organization_id = $2 and status = 'pending' and leased_until = $3 returning id`,
    [id, organizationId, leasedUntil, attempts + 1, at, error],
  );
  return rows.length > 0;
}

/** Ends a delivery that was not sent; false when somebody else holds it by now. */
export async function endUnsent(
  tx: Transaction,
  { id, organizationId, leasedUntil }: ClaimedDelivery,
  { status, attempts, error, now }: { status: 'failed' | 'dropped'; attempts: number; error: string; now: Date },
): Promise<boolean> {
  const rows = await tx.query(
    `update delivery set status = $4, attempts = $5, leased_until = null, last_error = $6, finished_at = $7
     where id = $1 and organization_id = $2 and status = 'pending' and leased_until = $3 returning id`,
    [id, organizationId, leasedUntil, status, attempts, error, now],
  );
  return rows.length > 0;
}

/** How many deliveries of all organizations are waiting or under way. */
export async function countPending(tx: Transaction): Promise<number> {
  const rows = await tx.query<{ count: number }>(`select count(*) as count from delivery where status = 'pending'`);
  return rows[0]?.count ?? 0;
}

function toClaimed(row: ClaimedRow): ClaimedDelivery {
  return {
    id: row.id,
    organizationId: row.organization_id,
    attempts: row.attempts,
    leasedUntil: row.leased_until,
    alert: {
      id: row.alert_id,
      organizationId: row.organization_id,
      eventId: row.event_id,
      kind: kindOf(row.kind),
      monitor: { id: row.monitor_id, name: row.monitor_name, url: row.monitor_url },
      at: row.at,
      downSince: row.down_since ?? undefined,
      error: row.error,
      occurredAt: row.occurred_at,
    },
    channel: {
      id: row.channel_id,
      name: row.channel_name,
      type: row.type,
      enabled: row.enabled,
      revision: row.revision,
      sealedConfig: row.sealed_config,
    },
  };
}

function kindOf(text: string): AlertKind {
  const found = ALERT_KINDS.find((kind) => kind === text);
  if (!found)
    throw new Error(`a stored alert is of the unknown kind "${text}", expected one of ${ALERT_KINDS.join(', ')}`);
  return found;
}
