import type { Transaction } from '@tocsin/database';
import { validate } from 'uuid';
import type { MonitorLink } from '../domain/tree.ts';
import { lockConditions } from '../storage/monitor-condition-store.ts';
import type { Deps } from './ports.ts';

/** Parts of the dependencies that a change of links needs. */
export interface LinkDeps extends Pick<Deps, 'now'> {
  readonly database: Pick<Deps['database'], 'transaction'>;
  readonly monitors: Pick<Deps['monitors'], 'existing'>;
}

/** Monitors of a request, and what the monitor service has said about some of them. */
export interface RequestedMonitors {
  /** Ids without duplicates and without values that are not UUIDs. */
  readonly ids: readonly string[];
  /** Whether a monitor exists, by id, for the monitors about which the monitor service was asked. */
  readonly resolved: ReadonlyMap<string, boolean>;
}

/** Ends a transaction, so that the monitor service is asked about monitors without a stored condition. */
class UnknownMonitors extends Error {
  readonly ids: readonly string[];

  constructor(ids: readonly string[]) {
    super('the monitor service has to be asked about monitors');
    this.ids = ids;
  }
}

/**
 * Runs a transaction that links components to monitors, and returns its result. The conditions that events have stored
 * say which monitors exist. `work` passes them to monitorCheck(), and the new links to lockLinkedMonitors(), before it
 * writes. A monitor without a condition is unknown or was just created: the transaction is then rolled back, the
 * monitor service is asked without an open transaction, and `work` runs again.
 */
export async function changeLinks<Result>(
  { database, monitors }: Pick<LinkDeps, 'database' | 'monitors'>,
  organizationId: string,
  links: readonly MonitorLink[],
  work: (tx: Transaction, requested: RequestedMonitors) => Promise<Result>,
): Promise<Result> {
  const ids = [...new Set(links.map(({ monitorId }) => monitorId))].filter((id) => validate(id));
  const resolved = new Map<string, boolean>();
  for (;;) {
    try {
      return await database.transaction({ organizationId }, (tx) => work(tx, { ids, resolved }));
    } catch (error) {
      if (!(error instanceof UnknownMonitors)) throw error;
      const existing = new Set(await monitors.existing(organizationId, error.ids));
      for (const id of error.ids) resolved.set(id, existing.has(id));
    }
  }
}

/**
 * Returns a function that checks whether a monitor exists. `conditions` has the stored conditions of the requested
 * monitors.
 * @throws UnknownMonitors if the monitor service has to be asked first.
 */
export function monitorCheck(
  { ids, resolved }: RequestedMonitors,
  conditions: ReadonlyMap<string, unknown>,
): (id: string) => boolean {
  const isKnown = (id: string) => conditions.has(id) || resolved.has(id);
  requireKnown(ids.filter((id) => !isKnown(id)));
  return (id) => resolved.get(id) ?? conditions.has(id);
}

/**
 * Locks the conditions of monitors to which a page gets its first links, so that unlinkMonitor() waits and then finds
 * these links. The caller has locked the page. Never waits, because unlinkMonitor() locks in the opposite order.
 * @throws UnknownMonitors if a monitor is being deleted.
 */
export async function lockLinkedMonitors(
  tx: Transaction,
  organizationId: string,
  { ids, resolved }: RequestedMonitors,
): Promise<void> {
  if (ids.length === 0) return;
  const locked = new Set(await lockConditions(tx, organizationId, ids));
  requireKnown(ids.filter((id) => !locked.has(id) && !resolved.has(id)));
}

function requireKnown(unknown: readonly string[]): void {
  if (unknown.length > 0) throw new UnknownMonitors(unknown);
}
