import type { Transaction } from '@tocsin/database';
import { v7 } from 'uuid';
import type { Alert } from '../domain/alert.ts';
import { PAGERS } from '../domain/incident.ts';
import { isChange, STORM_WINDOW_MS } from '../domain/storm.ts';
import { countChanged, findStormOf, groupWaiting, insertStorm } from '../storage/storm-store.ts';
import type { Deps } from './ports.ts';

/** Minimum time from the beginning of a storm to its first message, in milliseconds. */
const LATE_WAIT_MS = 3_000;

/** What joinStorm() needs to know about the other alerts of an organization. */
export interface StormRead {
  /** Id of the running storm, or undefined if no storm is running. */
  readonly running: string | undefined;
  /** Time of the first changes with which a storm may begin; undefined if there are too few changes. */
  readonly mayBeginAt: Date | undefined;
}

type Change = Pick<Alert, 'organizationId' | 'kind' | 'occurredAt'>;

/**
 * Reads what joinStorm() needs to know about a newly inserted alert. Returns undefined if the alert is never part of a
 * storm. The caller must hold the lock on the organization's alerts.
 */
export async function readStorm(
  { now, stormMonitors }: Pick<Deps, 'now' | 'stormMonitors'>,
  tx: Transaction,
  { organizationId, kind, occurredAt }: Change,
): Promise<StormRead | undefined> {
  if (stormMonitors === 0 || !isChange(kind)) return undefined;
  const since = new Date(Math.min(now().getTime(), occurredAt.getTime()) - STORM_WINDOW_MS);
  const { running, areEnough } = await findStormOf(tx, organizationId, { since, changes: stormMonitors });
  return { running, mayBeginAt: areEnough ? since : undefined };
}

/**
 * Returns the storm (a group of monitors that change at once) that a newly inserted alert belongs to; undefined if
 * there is none. A storm begins when the configured number of monitors has changed within 20 seconds, even if these
 * alerts are late. Its first message is due 20 seconds after the first of these changes, but not before LATE_WAIT_MS
 * from now, because more late alerts may follow.
 */
export async function joinStorm(
  { now, stormMonitors }: Pick<Deps, 'now' | 'stormMonitors'>,
  tx: Transaction,
  { organizationId }: Change,
  read: StormRead | undefined,
): Promise<string | undefined> {
  if (read?.running) return read.running;
  if (!read?.mayBeginAt) return undefined;
  const { monitors, first } = await countChanged(tx, organizationId, read.mayBeginAt);
  if (monitors < stormMonitors || !first) return undefined;
  const id = v7();
  insertStorm(tx, {
    id,
    organizationId,
    startedAt: first,
    dueAt: new Date(Math.max(first.getTime() + STORM_WINDOW_MS, now().getTime() + LATE_WAIT_MS)),
  });
  groupWaiting(tx, { stormId: id, organizationId, since: first }, [...PAGERS]);
  return id;
}
