import type { Transaction } from '@tocsin/database';
import { v7 } from 'uuid';
import type { Alert } from '../domain/alert.ts';
import { PAGERS } from '../domain/incident.ts';
import { isChange, STORM_WINDOW_MS } from '../domain/storm.ts';
import { countChanged, findStormOf, groupWaiting, insertStorm } from '../storage/storm-store.ts';
import type { Deps } from './ports.ts';

/** Minimum time from the beginning of a storm to its first message, in milliseconds. */
const LATE_WAIT_MS = 3_000;

/**
 * Returns the storm (a group of monitors that change at once) that a newly inserted alert belongs to; undefined if
 * there is none. A storm begins when the configured number of monitors has changed within 20 seconds, even if these
 * alerts are late. Its first message is due 20 seconds after the first of these changes, but not before LATE_WAIT_MS
 * from now, because more late alerts may follow. The caller must hold the lock on the organization's alerts.
 */
export async function joinStorm(
  { now, stormMonitors }: Pick<Deps, 'now' | 'stormMonitors'>,
  tx: Transaction,
  { organizationId, kind, occurredAt }: Pick<Alert, 'organizationId' | 'kind' | 'occurredAt'>,
): Promise<string | undefined> {
  if (stormMonitors === 0 || !isChange(kind)) return undefined;
  const running = await findStormOf(tx, organizationId);
  if (running) return running;
  const at = now().getTime();
  const since = new Date(Math.min(at, occurredAt.getTime()) - STORM_WINDOW_MS);
  const { monitors, first } = await countChanged(tx, organizationId, since);
  if (monitors < stormMonitors || !first) return undefined;
  const id = v7();
  insertStorm(tx, {
    id,
    organizationId,
    startedAt: first,
    dueAt: new Date(Math.max(first.getTime() + STORM_WINDOW_MS, at + LATE_WAIT_MS)),
  });
  groupWaiting(tx, { stormId: id, organizationId, since: first }, [...PAGERS]);
  return id;
}
