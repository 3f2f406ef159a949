import type { Transaction } from '@tocsin/database';
import { v7 } from 'uuid';
import { type Alert, reminderOf } from '../domain/alert.ts';
import type { Channel } from '../domain/channel.ts';
import { incidentOfAlert, isPager } from '../domain/incident.ts';
import { quietUntil } from '../domain/quiet-hours.ts';
import { findAlertedChannels, hasLaterChange, insertAlert } from '../storage/alert-store.ts';
import { type AlertedChannel, lockAlertedChannels } from '../storage/channel-store.ts';
import { insertOpenIncidents } from '../storage/incident-store.ts';
import { findAlert } from '../storage/queued-deliveries.ts';
import {
  alertsWithDueTimers,
  type DueAlert,
  deleteTimersOf,
  deleteTimersOfAlert,
  dropReminders,
  insertTimers,
  makeRemindersDue,
  type OutageTimer,
  postponeTimers,
  takeDueTimers,
} from '../storage/timer-store.ts';
import { insertByPolicy } from './insert-by-policy.ts';
import type { Deps } from './ports.ts';

const BATCH = 20;
const MINUTE_MS = 60_000;
/** Time after which timers that failed are run again. */
const TRY_AGAIN_MS = 10_000;

type TimerDeps = Pick<Deps, 'database' | 'disruptions' | 'maintenance' | 'now' | 'maxMessagesPerHour' | 'logger'>;

/** Returns the timers for an outage's first reminders. Only a monitor that is down has reminders. */
export function remindersOf(alert: Alert, channels: readonly AlertedChannel[], now: Date): OutageTimer[] {
  const { id: alertId, kind, organizationId, monitor } = alert;
  if (kind !== 'monitor_down') return [];
  return channels.flatMap(({ id: channelId, policy: { reminderMinutes }, isBroken }) => {
    if (reminderMinutes === undefined || isBroken) return [];
    const dueAt = new Date(now.getTime() + reminderMinutes * MINUTE_MS);
    return [{ kind: 'reminder', alertId, channelId, organizationId, monitorId: monitor.id, dueAt }];
  });
}

/**
 * Ends the escalation and the reminders of a monitor whose state has changed. Timers for the channels in
 * `exceptChannelIds` remain. Also drops unsent reminders.
 */
export function endOutageTimers(
  { now }: Pick<Deps, 'now'>,
  tx: Transaction,
  monitor: { organizationId: string; monitorId: string; exceptChannelIds?: readonly string[] },
): void {
  deleteTimersOf(tx, monitor);
  // Delete the timers again. The first delete may have waited for another transaction that ran these timers. In that
  // case, it did not see the timers that the other transaction inserted.
  deleteTimersOf(tx, monitor);
  dropReminders(tx, monitor, now());
}

/**
 * Runs the due outage timers. An escalation timer sends the alert to a channel after the delay in the channel's link to
 * the monitor. A reminder timer repeats the alert. Timers of acknowledged outages and of resolved disruptions are
 * deleted. Timers of monitors under maintenance are postponed. While the disruption service does not respond, outages
 * count as unacknowledged. While the monitor service does not respond, monitors count as not under maintenance. An
 * error of one outage is logged, and its timers are run again later.
 */
export async function runOutageTimers(deps: TimerDeps): Promise<'again' | 'done'> {
  const { database, now } = deps;
  const due = await database.transaction('every organization', (tx) => alertsWithDueTimers(tx, now(), BATCH));
  await Promise.all(due.map((alert) => followOutage(deps, alert).catch((error) => tryLater(deps, alert, error))));
  return due.length > 0 ? 'again' : 'done';
}

async function followOutage(
  deps: TimerDeps,
  { alertId, organizationId, monitorId, disruptionId }: DueAlert,
): Promise<void> {
  const { database, disruptions, maintenance, now } = deps;
  const disruption = disruptionId && (await disruptions.find(organizationId, disruptionId));
  const isHandled = disruption && (disruption.acknowledgement || disruption.resolvedAt);
  const isPaused = !isHandled && (await maintenance.covers(organizationId, monitorId));
  await database.transaction({ organizationId }, (tx) => {
    if (isHandled) return deleteTimersOfAlert(tx, organizationId, alertId);
    if (!isPaused) return runTimers(deps, tx, { alertId, organizationId });
    const at = now();
    const until = new Date(at.getTime() + MINUTE_MS);
    return postponeTimers(tx, { organizationId, alertId, now: at, until });
  });
}

/** Logs an error, and postpones the due timers of the alert, so that they do not occupy the next batch. */
async function tryLater(
  { database, now, logger }: TimerDeps,
  { alertId, organizationId, monitorId }: DueAlert,
  error: unknown,
): Promise<void> {
  logger.error(
    { err: error, organization_id: organizationId, monitor_id: monitorId },
    'the timers of an outage failed and will be tried again',
  );
  const at = now();
  const until = new Date(at.getTime() + TRY_AGAIN_MS);
  await database.transaction({ organizationId }, (tx) =>
    postponeTimers(tx, { organizationId, alertId, now: at, until }),
  );
}

async function runTimers(
  deps: TimerDeps,
  tx: Transaction,
  { alertId, organizationId }: { alertId: string; organizationId: string },
): Promise<void> {
  const now = deps.now();
  const timers = await takeDueTimers(tx, { organizationId, alertId, now });
  const alert = await findAlert(tx, organizationId, alertId);
  // An alert may be handed over to a fallback after its outage has ended. The change that ended the outage then did not
  // delete the timers that were started for the fallback.
  if (!alert || (await hasLaterChange(tx, alert))) return;
  const idsOf = (kind: OutageTimer['kind']) =>
    timers.filter((timer) => timer.kind === kind).map(({ channelId }) => channelId);
  await escalate(deps, tx, alert, idsOf('escalation'));
  await remind(deps, tx, alert, idsOf('reminder'));
}

/** Sends the alert to channels whose escalation timer is due, or to their fallbacks. */
async function escalate(deps: TimerDeps, tx: Transaction, alert: Alert, channelIds: readonly string[]): Promise<void> {
  if (channelIds.length === 0) return;
  const { organizationId, monitor } = alert;
  const found = await lockAlertedChannels(tx, organizationId, channelIds);
  const alerted = await findAlertedChannels(
    tx,
    { organizationId, monitorId: monitor.id, alertId: alert.id },
    found.map(({ id }) => id),
  );
  const channels = found.filter(({ id }) => !alerted.includes(id));
  const pagers = channels.filter(({ type }) => isPager(type)).map(({ id }) => id);
  insertOpenIncidents(tx, { organizationId, key: incidentOfAlert(alert).key, monitor }, pagers);
  await insertByPolicy(deps, tx, { alert, channels });
  insertTimers(tx, remindersOf(alert, channels, deps.now()));
}

/**
 * Makes the reminders due that wait for the end of a channel's quiet hours. Call it after a change of the quiet hours,
 * with the channel before the change. A reminder that is due in the new quiet hours waits until these end.
 */
export async function resumeReminders({ now }: Pick<Deps, 'now'>, tx: Transaction, before: Channel): Promise<void> {
  const at = now();
  const end = before.policy.quietHours && quietUntil(before.policy.quietHours, at);
  if (end) await makeRemindersDue(tx, before, { postponedTo: end, now: at });
}

/**
 * Sends a reminder to the enabled channels that have reminders, and starts the timers for the next reminders. A
 * reminder that is due in quiet hours waits until they end.
 */
async function remind(deps: TimerDeps, tx: Transaction, alert: Alert, channelIds: readonly string[]): Promise<void> {
  if (channelIds.length === 0) return;
  const { organizationId } = alert;
  const now = deps.now();
  const found = await lockAlertedChannels(tx, organizationId, channelIds);
  // A broken channel gets no reminders, because alerts to it get the status `held` and are not sent. Its fallback has
  // separate reminder timers.
  const reminded = found.filter(
    ({ id, isBroken, policy }) => channelIds.includes(id) && !isBroken && policy.reminderMinutes,
  );
  const isQuiet = ({ policy: { quietHours } }: AlertedChannel) => quietHours && quietUntil(quietHours, now);
  const channels = reminded.filter((channel) => !isQuiet(channel));
  const next = reminded.flatMap((channel) => {
    const [timer] = remindersOf(alert, [channel], now);
    return timer ? [{ ...timer, dueAt: isQuiet(channel) || timer.dueAt }] : [];
  });
  insertTimers(tx, next);
  if (channels.length === 0) return;
  const reminder = reminderOf(alert, { id: v7(), eventId: v7() }, now);
  await insertAlert(tx, reminder);
  await insertByPolicy(deps, tx, { alert: reminder, channels });
}
