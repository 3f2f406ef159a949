import type { Transaction } from '@tocsin/database';
import type { Heartbeat } from '../../domain/heartbeats/heartbeat.ts';
import type { PingWindow } from '../../domain/heartbeats/ping-window.ts';
import type { MonitorToDecide } from '../monitors/monitor-store.ts';
import type { Tables } from '../tables.ts';

/** A heartbeat monitor with its heartbeat state and rate limit. */
export interface HeartbeatMonitor {
  readonly tokenHash: string;
  readonly enabled: boolean;
  readonly monitor: MonitorToDecide;
  readonly heartbeat: Heartbeat;
  readonly window: PingWindow;
}

interface HeartbeatRow
  extends MonitorToDecide,
    Pick<
      Tables['heartbeat'],
      'expected_seconds' | 'misses' | 'miss_at' | 'job_started_at' | 'last_error' | 'window_at' | 'window_count'
    >,
    Pick<Tables['monitor'], 'heartbeat_token_hash' | 'enabled'> {
  heartbeat_token_hash: string;
}

export interface LockOptions {
  /** Whether to skip monitors that another transaction has locked, instead of waiting for them. */
  readonly skipLocked?: boolean;
}

/** Finds heartbeat monitors by id or by token, and locks them until the transaction ends. */
export async function lockHeartbeats(
  tx: Transaction,
  by: 'id' | 'heartbeat_token_hash',
  values: readonly string[],
  { skipLocked = false }: LockOptions = {},
): Promise<HeartbeatMonitor[]> {
  // Monitors and their heartbeats are locked together, in the order of ids, to avoid deadlocks.
  const rows = await tx.query<HeartbeatRow>(
    `select m.id, m.organization_id as "organizationId", m.check_type as "checkType", m.interval_seconds as "intervalSeconds", m.enabled, m.heartbeat_token_hash,
       m.confirm_down_minutes as "confirmDownMinutes", m.confirm_up_minutes as "confirmUpMinutes",
       m.confirm_down_after as "confirmDownAfter", m.confirm_up_after as "confirmUpAfter",
       h.expected_seconds, h.misses, h.miss_at, h.job_started_at, h.last_error, h.window_at, h.window_count
     from monitor m join heartbeat h on h.monitor_id = m.id
     where m.${by} = any($1) order by m.id for no key update ${skipLocked ? 'skip locked' : ''}`,
    [values],
  );
  return rows.map(toDomain);
}

function toDomain(row: HeartbeatRow): HeartbeatMonitor {
  return {
    tokenHash: row.heartbeat_token_hash,
    enabled: row.enabled,
    monitor: row,
    heartbeat: {
      expectedSeconds: row.expected_seconds,
      misses: row.misses,
      missAt: row.miss_at,
      jobStartedAt: row.job_started_at ?? undefined,
      lastError: row.last_error,
    },
    window: { at: row.window_at, count: row.window_count },
  };
}

/** Organization of a token's monitor, and the window that limits its ping rate. */
export interface KnownToken {
  readonly organizationId: string;
  readonly window: PingWindow;
}

/** Returns a map from token hashes to what is known of them. Does not wait for locks, and leaves out unknown tokens. */
export async function readTokens(tx: Transaction, tokenHashes: readonly string[]): Promise<Map<string, KnownToken>> {
  const rows = await tx.query<
    Pick<HeartbeatRow, 'heartbeat_token_hash' | 'organizationId' | 'window_at' | 'window_count'>
  >(
    `select m.heartbeat_token_hash, m.organization_id as "organizationId", h.window_at, h.window_count
     from monitor m join heartbeat h on h.monitor_id = m.id where m.heartbeat_token_hash = any($1)`,
    [tokenHashes],
  );
  return new Map(
    rows.map((row) => [
      row.heartbeat_token_hash,
      { organizationId: row.organizationId, window: { at: row.window_at, count: row.window_count } },
    ]),
  );
}

/** SQL expression for the time that is `aheadMs` before the first `time` for which findHeartbeatsDueBy() finds one. */
export function heartbeatDueSql(aheadMs: number): string {
  return `(select min(due_at) from heartbeat) - make_interval(secs => ${aheadMs / 1_000})`;
}

/** Returns the heartbeat monitors whose `dueAt` is not after `time`, earliest first. */
export async function findHeartbeatsDueBy(
  tx: Transaction,
  time: Date,
  limit: number,
): Promise<{ readonly monitorId: string; readonly dueAt: Date }[]> {
  return tx.query(
    'select monitor_id as "monitorId", due_at as "dueAt" from heartbeat where due_at <= $1 order by due_at limit $2',
    [time, limit],
  );
}

export interface StoredHeartbeat {
  readonly monitorId: string;
  readonly organizationId: string;
  readonly heartbeat: Heartbeat;
  readonly window: PingWindow;
  /**
   * Deadline for the next ping, or an earlier end of the confirmation window; undefined while the monitor is disabled.
   */
  readonly dueAt: Date | undefined;
}

export async function saveHeartbeats(tx: Transaction, entries: readonly StoredHeartbeat[]): Promise<void> {
  if (entries.length === 0) return;
  const column = <Value>(pick: (entry: StoredHeartbeat) => Value) => entries.map(pick);
  await tx.query(
    `insert into heartbeat (monitor_id, organization_id, expected_seconds, misses, miss_at, due_at, job_started_at,
       last_error, window_at, window_count)
     select * from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::integer[], $5::timestamptz[], $6::timestamptz[],
       $7::timestamptz[], $8::text[], $9::timestamptz[], $10::integer[])
     on conflict (monitor_id) do update set expected_seconds = excluded.expected_seconds, misses = excluded.misses,
       miss_at = excluded.miss_at, due_at = excluded.due_at, job_started_at = excluded.job_started_at,
       last_error = excluded.last_error, window_at = excluded.window_at, window_count = excluded.window_count`,
    [
      column((entry) => entry.monitorId),
      column((entry) => entry.organizationId),
      column(({ heartbeat }) => heartbeat.expectedSeconds),
      column(({ heartbeat }) => heartbeat.misses),
      column(({ heartbeat }) => heartbeat.missAt),
      column((entry) => entry.dueAt ?? null),
      column(({ heartbeat }) => heartbeat.jobStartedAt ?? null),
      column(({ heartbeat }) => heartbeat.lastError),
      column(({ window }) => window.at),
      column(({ window }) => window.count),
    ],
  );
}
