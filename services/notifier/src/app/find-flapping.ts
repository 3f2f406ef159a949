import type { Transaction } from '@tocsin/database';
import type { Alert } from '../domain/alert.ts';
import { flappingUntil } from '../domain/flapping.ts';
import { textOfHold } from '../domain/hold-back.ts';
import { CHANGE_KINDS, isChange } from '../domain/storm.ts';
import { latestChanges, leaveStorm, postponeFlapping } from '../storage/hold-store.ts';
import type { Deps } from './ports.ts';

/** A monitor that changes too often. */
export interface Flapping {
  readonly until: Date;
  /**
   * Channels in which changes of this monitor were waiting for the message about a storm (many monitors changing at
   * once). These changes no longer belong to the storm. They are now held back because of flapping.
   */
  readonly leftStorm: ReadonlySet<string>;
}

type Change = Pick<Alert, 'organizationId' | 'monitor' | 'kind'>;

/** Returns the times of a monitor's latest changes, newest first, as many as findFlapping() needs. */
export async function readLatestChanges(
  { calmChanges }: Pick<Deps, 'calmChanges'>,
  tx: Transaction,
  { organizationId, monitor, kind }: Change,
): Promise<readonly Date[]> {
  if (calmChanges === 0 || !isChange(kind)) return [];
  return latestChanges(tx, { organizationId, monitorId: monitor.id }, CHANGE_KINDS, calmChanges + 1);
}

/**
 * Returns the time until which a monitor is flapping; undefined if it is not flapping. `latest` are its latest changes,
 * which were read after the change in `alert` was inserted. If the monitor is flapping, its changes that are already
 * held back because of flapping, or that wait for a message about a storm, are held back until this time. One message
 * then lists all of these changes.
 */
export async function findFlapping(
  { calmChanges }: Pick<Deps, 'calmChanges'>,
  tx: Transaction,
  {
    alert: { organizationId, monitor, kind },
    channelIds,
    latest,
  }: { readonly alert: Change; readonly channelIds: readonly string[]; readonly latest: readonly Date[] },
): Promise<Flapping | undefined> {
  if (calmChanges === 0 || !isChange(kind)) return undefined;
  const about = { organizationId, monitorId: monitor.id };
  const until = flappingUntil(latest, calmChanges);
  if (!until) return undefined;
  const hold = { until, error: textOfHold({ reason: 'flapping', until }) };
  postponeFlapping(tx, about, hold);
  return { until, leftStorm: await leaveStorm(tx, { ...about, channelIds }, hold) };
}
