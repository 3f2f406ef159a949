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
  /** Channels that now hold its changes back, which a storm was to name. */
  readonly leftStorm: ReadonlySet<string>;
}

/**
 * Returns until when a monitor is flapping after a newly inserted change; undefined if it is not. Its earlier changes
 * that are held back, or that a storm is to name to the channels which get this change, are held back until then, too,
 * so that all are named in their order.
 */
export async function findFlapping(
  { calmChanges }: Pick<Deps, 'calmChanges'>,
  tx: Transaction,
  { organizationId, monitor, kind }: Pick<Alert, 'organizationId' | 'monitor' | 'kind'>,
  channelIds: readonly string[],
): Promise<Flapping | undefined> {
  if (calmChanges === 0 || !isChange(kind)) return undefined;
  const about = { organizationId, monitorId: monitor.id };
  const until = flappingUntil(await latestChanges(tx, about, CHANGE_KINDS, calmChanges + 1), calmChanges);
  if (!until) return undefined;
  const hold = { until, error: textOfHold({ reason: 'flapping', until }) };
  await postponeFlapping(tx, about, hold);
  return { until, leftStorm: await leaveStorm(tx, { ...about, channelIds }, hold) };
}
