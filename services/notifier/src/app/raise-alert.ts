import type { Transaction } from '@tocsin/database';
import { v7 } from 'uuid';
import type { Alert } from '../domain/alert.ts';
import { HELD } from '../domain/held.ts';
import { incidentOfAlert, isPager, KEY_PREFIXES } from '../domain/incident.ts';
import { insertAlert } from '../storage/alert-store.ts';
import { type AlertedChannel, findAlertedFallbacks, lockAlertedChannels } from '../storage/channel-store.ts';
import { deleteOpenIncidents, insertOpenIncidents } from '../storage/incident-store.ts';
import { insertDeliveries } from '../storage/insert-deliveries.ts';
import { closeIncidents } from './close-incidents.ts';
import { joinStorm } from './join-storm.ts';
import type { Deps } from './ports.ts';

/**
 * Inserts an alert, with one delivery for each channel that is enabled, or that holds the alert because it is broken.
 * Runs in the transaction that applies the event, whose commit wakes the workers of all replicas. If many monitors
 * change at once, one message names them all.
 */
export async function raiseAlert(
  deps: Deps,
  { tx, alert, channelIds }: { tx: Transaction; alert: Omit<Alert, 'id'>; channelIds: readonly string[] },
): Promise<void> {
  const { now } = deps;
  const { organizationId, monitor } = alert;
  const channels = await findRecipients(tx, alert, channelIds);
  await followIncidents({ now }, tx, alert, channels);
  const alertId = v7();
  if (channels.length === 0 || !(await insertAlert(tx, { id: alertId, ...alert }))) return;
  const stormId = await joinStorm(deps, tx, alert);
  const fateOf = ({ type, isBroken }: AlertedChannel) => {
    if (isBroken) return { status: 'held', error: HELD } as const;
    return stormId !== undefined && !isPager(type)
      ? ({ status: 'grouped', stormId } as const)
      : ({ status: 'pending' } as const);
  };
  await insertDeliveries(
    tx,
    { organizationId, resourceId: monitor.id, now: now() },
    channels.map((channel) => ({ id: v7(), alertId, channelId: channel.id, ...fateOf(channel) })),
  );
}

/**
 * Returns the channels that get an alert. The end of an outage also goes to the fallbacks that were alerted of its
 * beginning.
 */
async function findRecipients(
  tx: Transaction,
  { organizationId, kind, disruptionId }: Omit<Alert, 'id'>,
  channelIds: readonly string[],
): Promise<AlertedChannel[]> {
  const alerted =
    kind === 'monitor_recovered' && disruptionId
      ? await findAlertedFallbacks(tx, organizationId, { channelIds, disruptionId })
      : [];
  return lockAlertedChannels(tx, organizationId, [...new Set([...channelIds, ...alerted])]);
}

/** Records the incident that an alert opens at services that page people, and closes the incidents that it ends. */
async function followIncidents(
  deps: Pick<Deps, 'now'>,
  tx: Transaction,
  alert: Omit<Alert, 'id'>,
  channels: readonly AlertedChannel[],
): Promise<void> {
  const { organizationId, kind, monitor } = alert;
  const monitorId = monitor.id;
  const { key } = incidentOfAlert(alert);
  const pagers = channels.filter(({ type }) => isPager(type)).map(({ id }) => id);
  const { outage, stale, certificate } = KEY_PREFIXES;
  if (kind === 'monitor_recovered') {
    // For these channels the alert itself closes the incident.
    for (const channelId of pagers) await deleteOpenIncidents(tx, organizationId, { channelId, keyPrefixes: [key] });
    return closeIncidents(deps, tx, { organizationId, monitorId, keyPrefixes: [outage, stale] });
  }
  await insertOpenIncidents(tx, { organizationId, key, monitor }, pagers);
  if (kind === 'monitor_down') await closeIncidents(deps, tx, { organizationId, monitorId, keyPrefixes: [stale] });
  if (kind === 'cert_expiring') {
    await closeIncidents(deps, tx, { organizationId, monitorId, keyPrefixes: [certificate], exceptKey: key });
  }
}
