import type { Transaction } from '@tocsin/database';
import type { Freshness, FreshnessCheck } from '../domain/last-checks.ts';
import type { MonitorKey } from './monitor-condition-store.ts';
import type { Tables } from './tables.ts';

export interface MonitorFreshness extends MonitorKey, Freshness {}

interface ClaimedRow
  extends Pick<Tables['monitor_condition'], 'monitor_id' | 'organization_id' | 'fresh_until' | 'is_overdue'> {
  is_linked: boolean;
}

export interface ClaimOptions {
  readonly now: Date;
  /**
   * Time of the next freshness check of a linked monitor. Applies only if the claimed check is interrupted, because
   * saveFreshness() replaces it.
   */
  readonly next: Date;
  /** Time of the next freshness check of a monitor that no component is linked to. */
  readonly nextUnlinked: Date;
  readonly limit: number;
}

/** SQL expression for the time at which claimDueFreshness() finds a monitor. */
export const FRESHNESS_DUE = '(select min(freshness_check_at) from monitor_condition where enabled)';

/**
 * Claims up to `limit` enabled monitors whose freshness check is due. This check determines whether a monitor is
 * overdue. Returns the claimed monitors that a component is linked to, and whether more monitors may be due. Deletes
 * what is stored about other monitors, because they are not checked until a component is linked to them. Needs a
 * transaction across organizations.
 */
export async function claimDueFreshness(
  tx: Transaction,
  { now, next, nextUnlinked, limit }: ClaimOptions,
): Promise<{ readonly due: MonitorFreshness[]; readonly isFull: boolean }> {
  const rows = await tx.query<ClaimedRow>(
    `update monitor_condition m
     set freshness_check_at = case when d.is_linked then $2::timestamptz else $3::timestamptz end,
       fresh_until = case when d.is_linked then m.fresh_until end, is_overdue = m.is_overdue and d.is_linked
     from (select monitor_id, exists (select from component_monitor l where l.monitor_id = c.monitor_id) as is_linked
           from monitor_condition c where enabled and freshness_check_at <= $1
           order by freshness_check_at limit $4 for update skip locked) d
     where m.monitor_id = d.monitor_id
     returning m.monitor_id, m.organization_id, m.fresh_until, m.is_overdue, d.is_linked`,
    [now, next, nextUnlinked, limit],
  );
  const due = rows
    .filter(({ is_linked }) => is_linked)
    .map((row) => ({
      organizationId: row.organization_id,
      monitorId: row.monitor_id,
      freshUntil: row.fresh_until ?? undefined,
      isOverdue: row.is_overdue,
    }));
  return { due, isFull: rows.length === limit };
}

/**
 * Makes the freshness checks of monitors due that no component was linked to until now. They would otherwise be due
 * only at the time of ClaimOptions.nextUnlinked. Does not wait for the result.
 */
export function startFreshnessChecks(tx: Transaction, organizationId: string, monitorIds: readonly string[]): void {
  tx.send(
    `update monitor_condition set freshness_check_at = 'epoch'
     where organization_id = $1 and monitor_id = any($2) and fresh_until is null`,
    [organizationId, monitorIds],
  );
}

/** Saves the results of freshness checks, except `isOverdue`, which saveOverdue() saves. */
export async function saveFreshness(
  tx: Transaction,
  organizationId: string,
  checks: readonly (Pick<FreshnessCheck, 'freshUntil' | 'nextCheckAt'> & { readonly monitorId: string })[],
): Promise<void> {
  await tx.query(
    `update monitor_condition m set fresh_until = t.fresh_until, freshness_check_at = t.next_check_at
     from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[]) as t(id, fresh_until, next_check_at)
     where m.organization_id = $1 and m.monitor_id = t.id`,
    [
      organizationId,
      checks.map(({ monitorId }) => monitorId),
      checks.map(({ freshUntil }) => freshUntil),
      checks.map(({ nextCheckAt }) => nextCheckAt),
    ],
  );
}

/** Records whether a monitor is overdue. */
export async function saveOverdue(
  tx: Transaction,
  { organizationId, monitorId }: MonitorKey,
  isOverdue: boolean,
): Promise<void> {
  await tx.query('update monitor_condition set is_overdue = $3 where organization_id = $1 and monitor_id = $2', [
    organizationId,
    monitorId,
    isOverdue,
  ]);
}
