import type { Transaction } from '@tocsin/database';
import { v7 } from 'uuid';
import type { Alert } from '../domain/alert.ts';
import { type ChannelLink, type Route, routeAlert } from '../domain/channel-link.ts';
import { incidentOfAlert, isPager, KEY_PREFIXES } from '../domain/incident.ts';
import { isChange } from '../domain/storm.ts';
import { findAlertedChannels, insertAlert } from '../storage/alert-store.ts';
import { type AlertedChannel, findFallbacks, lockAlertedChannels } from '../storage/channel-store.ts';
import { deleteOpenIncidents, type IncidentFilter, insertOpenIncidents } from '../storage/incident-store.ts';
import { lockAlertsOf } from '../storage/storm-store.ts';
import { insertTimers } from '../storage/timer-store.ts';
import { closeIncidents } from './close-incidents.ts';
import { findFlapping, readLatestChanges } from './find-flapping.ts';
import { insertByPolicy, readPolicy } from './insert-by-policy.ts';
import { joinStorm, readStorm } from './join-storm.ts';
import type { Deps } from './ports.ts';
import { remindersOf } from './run-outage-timers.ts';

const MINUTE_MS = 60_000;

export type AlertDeps = Pick<Deps, 'now' | 'stormMonitors' | 'calmChanges' | 'maxMessagesPerHour'>;

/**
 * Inserts an alert with one delivery for each linked channel that is enabled and gets the alert now. The delivery to a
 * broken channel is held until the channel is healthy. Inserts a timer for each channel that gets the alert later. If
 * many monitors change at once, each channel gets one message that lists them. Runs in the transaction that applies the
 * event. The commit wakes the workers of all replicas.
 */
export async function raiseAlert(
  deps: AlertDeps,
  { tx, alert, links }: { tx: Transaction; alert: Omit<Alert, 'id'>; links: readonly ChannelLink[] },
): Promise<void> {
  const route = routeAlert(alert.kind, links);
  const wanted = await findWanted(tx, alert, route);
  if (wanted.length + route.later.length === 0) return followIncidents(deps, tx, alert, Promise.resolve([]));
  const inserted = { id: v7(), ...alert };
  const finding = findRecipients(tx, alert, wanted);
  // The statements are sent together, and run one after the other.
  const [channels, isInserted, others, read] = await Promise.all([
    finding,
    insertAlert(tx, inserted, route.later.length > 0 ? undefined : wanted),
    readOtherAlerts(deps, tx, alert),
    readPolicy(deps, tx, alert, wanted),
    followIncidents(deps, tx, alert, finding),
  ]);
  if (!isInserted) return;
  startTimers(deps, tx, { alert: inserted, channels, later: route.later });
  const ids = channels.map(({ id }) => id);
  const flapping = await findFlapping(deps, tx, { alert, channelIds: ids, latest: others.latest });
  // A change of a flapping monitor is held back, so it is not grouped with the changes of other monitors (a storm).
  const stormId = flapping ? undefined : await joinStorm(deps, tx, alert, others.storm);
  await insertByPolicy(deps, tx, { alert: inserted, channels, stormId, flapping, read });
}

/**
 * Returns the ids of the channels that an alert is meant for now. A recovery is also sent to escalation channels and
 * fallbacks, but only to those that got an alert about the outage.
 */
async function findWanted(
  tx: Transaction,
  { organizationId, kind, disruptionId, monitor, occurredAt }: Omit<Alert, 'id'>,
  { now: direct, ifAlerted }: Route,
): Promise<readonly string[]> {
  if (kind !== 'monitor_recovered') return direct;
  const fallbacks = await findFallbacks(tx, organizationId, [...direct, ...ifAlerted]);
  const about = { organizationId, monitorId: monitor.id, disruptionId, until: occurredAt };
  const alerted = await findAlertedChannels(tx, about, [...ifAlerted, ...fallbacks]);
  return [...new Set([...direct, ...alerted])];
}

/** Returns the channels that get an alert now. Fallbacks of broken channels get it, too, unless it is a recovery. */
async function findRecipients(
  tx: Transaction,
  { organizationId, kind }: Omit<Alert, 'id'>,
  wanted: readonly string[],
): Promise<AlertedChannel[]> {
  const found = await lockAlertedChannels(tx, organizationId, wanted);
  return kind === 'monitor_recovered' ? found.filter(({ id }) => wanted.includes(id)) : found;
}

/**
 * Reads the organization's other alerts on which flapping detection and the grouping of alerts (storms) depend, after
 * waiting for concurrent transactions that insert some.
 */
async function readOtherAlerts(deps: AlertDeps, tx: Transaction, alert: Omit<Alert, 'id'>) {
  if (isChange(alert.kind) && deps.stormMonitors + deps.calmChanges > 0) lockAlertsOf(tx, alert.organizationId);
  const [latest, storm] = await Promise.all([readLatestChanges(deps, tx, alert), readStorm(deps, tx, alert)]);
  return { latest, storm };
}

/** Inserts the escalation and reminder timers, which run while the outage lasts. */
function startTimers(
  { now }: Pick<Deps, 'now'>,
  tx: Transaction,
  { alert, channels, later }: { alert: Alert; channels: readonly AlertedChannel[]; later: Route['later'] },
): void {
  const { id: alertId, organizationId, monitor } = alert;
  const at = now();
  const escalations = later.map(({ channelId, afterMinutes }) => ({
    ...({ kind: 'escalation', alertId, channelId, organizationId, monitorId: monitor.id } as const),
    dueAt: new Date(at.getTime() + afterMinutes * MINUTE_MS),
  }));
  insertTimers(tx, [...escalations, ...remindersOf(alert, channels, at)]);
}

/**
 * Records the incident that an alert opens at paging services, and closes the incidents that the alert ends. `finding`
 * are the channels that get the alert. Their statement was sent, and may not have ended.
 */
async function followIncidents(
  deps: Pick<Deps, 'now'>,
  tx: Transaction,
  alert: Omit<Alert, 'id'>,
  finding: Promise<readonly AlertedChannel[]>,
): Promise<void> {
  const { organizationId, kind, monitor } = alert;
  const { key } = incidentOfAlert(alert);
  const findPagers = async () => (await finding).filter(({ type }) => isPager(type)).map(({ id }) => id);
  const close = (filter: IncidentFilter) =>
    closeIncidents(deps, tx, { organizationId, monitorId: monitor.id, ...filter });
  const { outage, stale, certificate } = KEY_PREFIXES;
  if (kind === 'monitor_recovered') {
    // This alert closes the incidents of these channels, so they need no separate `incident_closed` alert.
    for (const channelId of await findPagers()) {
      await deleteOpenIncidents(tx, organizationId, { channelId, keyPrefixes: [key] });
    }
    return close({ keyPrefixes: [outage, stale] });
  }
  await Promise.all([
    findPagers().then((pagers) => insertOpenIncidents(tx, { organizationId, key, monitor }, pagers)),
    kind === 'monitor_down' && close({ keyPrefixes: [stale] }),
    kind === 'cert_expiring' && close({ keyPrefixes: [certificate], exceptKey: key }),
  ]);
}
