import type { Transaction } from '@tocsin/database';

export interface LastRound {
  readonly monitorId: string;
  /** Time of the newest decided round (see docs/states.md); undefined if there was none yet. */
  readonly at: Date | undefined;
  /** Time from which rounds are expected. */
  readonly expectedSince: Date;
  readonly intervalSeconds: number;
}

/**
 * Returns the last round of each monitor in `ids`. Leaves out disabled monitors and monitors of other organizations.
 */
export async function findLastRounds(
  tx: Transaction,
  organizationId: string,
  ids: readonly string[],
): Promise<LastRound[]> {
  const rows = await tx.query<{ id: string; at: Date | null; expected_since: Date; interval_seconds: number }>(
    `select m.id, s.last_round_at as at, coalesce(w.watched_from, m.updated_at) as expected_since,
            coalesce(h.expected_seconds * h.misses, m.interval_seconds) as interval_seconds
     from monitor m
     left join monitor_state s on s.monitor_id = m.id
     left join silence_watch w on w.monitor_id = m.id
     left join heartbeat h on h.monitor_id = m.id
     where m.organization_id = $1 and m.id = any($2) and m.enabled`,
    [organizationId, ids],
  );
  return rows.map((row) => ({
    monitorId: row.id,
    at: row.at ?? undefined,
    expectedSince: row.expected_since,
    intervalSeconds: row.interval_seconds,
  }));
}
