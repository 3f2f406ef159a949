import type { Transaction } from '@tocsin/database';
import type { Alert, AlertKind } from '../domain/alert.ts';
import type { Channel } from '../domain/channel.ts';
import { HELD_MS } from '../domain/held.ts';
import { incidentOfAlert, isPager } from '../domain/incident.ts';
import { findAlertedChannels, findDeliveredAlerts } from '../storage/alert-store.ts';
import { type AlertedChannel, lockAlertedChannels } from '../storage/channel-store.ts';
import { insertOpenIncidents } from '../storage/incident-store.ts';
import { findUnsent } from '../storage/queued-deliveries.ts';
import { insertTimers } from '../storage/timer-store.ts';
import { insertByPolicy } from './insert-by-policy.ts';
import type { Deps } from './ports.ts';
import { remindersOf } from './run-outage-timers.ts';

/** Maximum number of held alerts that are sent to a fallback. If there are more, only the oldest ones are sent. */
const MAX_HANDED_OVER = 1_000;

/**
 * Kinds of alerts that are not sent to a pager when it is the fallback of a broken channel. These alerts do not belong
 * to one outage, so no recovery would close their incidents.
 */
const NOT_PAGED: ReadonlySet<AlertKind> = new Set([
  'monitors_changed',
  'channel_broken',
  'channel_healed',
  'monitor_flapping',
]);

/**
 * Sends alerts that are held for a broken channel to the channel's fallback. The alerts also remain held for the broken
 * channel. Skips alerts that already have a delivery to the fallback, and recoveries from outages whose start was not
 * sent to the fallback. If the fallback is also broken, the alerts go to the fallback's own fallback. Starts the
 * reminders of the outages that the fallback is alerted of.
 */
export async function handOver(deps: Deps, tx: Transaction, channel: Channel): Promise<void> {
  const { id: channelId, organizationId, fallbackChannelId } = channel;
  if (!fallbackChannelId) return;
  const found = await lockAlertedChannels(tx, organizationId, [fallbackChannelId]);
  const fallbacks = found.filter(({ id, isBroken }) => !isBroken && id !== channelId);
  if (fallbacks.length === 0) return;
  const since = new Date(deps.now().getTime() - HELD_MS);
  const held = await findUnsent(
    tx,
    { organizationId, channelId },
    { since, statuses: ['held'], limit: MAX_HANDED_OVER },
  );
  const alerts = held.map(({ alert }) => alert).filter(({ kind }) => kind !== 'incident_closed');
  for (const fallback of fallbacks) {
    const delivered = await findDeliveredAlerts(tx, fallback.id, alerts);
    const pages = isPager(fallback.type);
    for (const alert of alerts.filter(({ id, kind }) => !delivered.has(id) && !(pages && NOT_PAGED.has(kind)))) {
      if (alert.kind === 'monitor_recovered' && !(await wasAlerted(tx, fallback, alert))) continue;
      await insertByPolicy(deps, tx, { alert, channels: [fallback] });
      insertTimers(tx, remindersOf(alert, [fallback], deps.now()));
      const { key, isOver } = incidentOfAlert(alert);
      if (!pages || isOver) continue;
      insertOpenIncidents(tx, { organizationId, key, monitor: alert.monitor }, [fallback.id]);
    }
  }
}

async function wasAlerted(
  tx: Transaction,
  { id: channelId }: AlertedChannel,
  { organizationId, monitor, disruptionId, occurredAt: until }: Alert,
): Promise<boolean> {
  const about = { organizationId, monitorId: monitor.id, disruptionId, until };
  return (await findAlertedChannels(tx, about, [channelId])).length > 0;
}
