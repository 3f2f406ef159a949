import type { Alert, AlertKind } from './alert.ts';

/** Kinds of alerts about a monitor's state change. Only these kinds are grouped. */
export const CHANGE_KINDS = ['monitor_down', 'monitor_recovered', 'monitor_stale'] as const satisfies AlertKind[];
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/**
 * Default number of an organization's monitors that must change within STORM_WINDOW_MS to start a storm. During a
 * storm, each channel gets messages that each list all monitors that changed since the previous message, instead of one
 * message per change.
 */
export const DEFAULT_STORM_MONITORS = 5;
export const STORM_WINDOW_MS = 20_000;
/**
 * Delays between the messages of a storm, in milliseconds. The last delay repeats. An alert that is part of a storm
 * waits for at most one such delay.
 */
const WAITS_MS = [20_000, 60_000];

/** Kinds of alerts that a message about several alerts can list. */
export type NamedKind = ChangeKind | 'cert_expiring' | 'channel_broken' | 'channel_healed';

/** The latest change of a monitor or channel, as a message about several alerts lists it. */
export interface Change {
  readonly kind: NamedKind;
  readonly monitorId: string;
  readonly name: string;
  /** Time at which the monitor entered its state, as ISO 8601. */
  readonly at: string;
  /** Error of the check. Empty for a recovery. */
  readonly error: string;
  /** Number of the monitor's changes that this entry stands for; absent for a single change. */
  readonly count?: number;
  /** Id of the alert about the change. Absent in changes that older versions stored. */
  readonly alertId?: string;
  readonly disruptionId?: string | undefined;
  /** Set if the alert about the change was already sent in a separate message. */
  readonly isAlerted?: true;
}

export function isChange(kind: AlertKind): kind is ChangeKind {
  return CHANGE_KINDS.some((change) => change === kind);
}

/** Returns the time at which a storm's next message is due. `messages` is the number of messages so far. */
export function nextMessageAt(messages: number, now: Date): Date {
  return new Date(now.getTime() + (WAITS_MS[messages - 1] ?? WAITS_MS.at(-1) ?? 0));
}

/**
 * Returns the latest change of each monitor, in the order of the monitors' first changes. Expiring certificates are
 * separate entries, and channels are treated like monitors. An alert that lists several changes is replaced by these
 * changes.
 */
export function changesOf(alerts: readonly Alert[]): Change[] {
  const named = alerts.flatMap(namedBy);
  // The sort is stable, so changes at the same time keep the order of the alerts.
  named.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const changes = new Map<string, Change>();
  const known = new Set<string>();
  for (const change of named) {
    const { kind, monitorId, at } = change;
    // Skip reminders, because they repeat the change of an earlier alert.
    if (known.has(`${kind} ${monitorId} ${at}`)) continue;
    known.add(`${kind} ${monitorId} ${at}`);
    const key = subjectKey(change);
    const count = (changes.get(key)?.count ?? (changes.has(key) ? 1 : 0)) + (change.count ?? 1);
    changes.set(key, count === 1 ? change : { ...change, count });
  }
  return [...changes.values()];
}

/**
 * Returns an alert without the states that are older than those in `later`, which are alerts that were sent since.
 * Returns undefined if nothing remains. Only a message about several monitors can lose a part of its content.
 */
export function withoutOutdated(alert: Alert, later: readonly Alert[]): Alert | undefined {
  const newest = new Map<string, number>();
  for (const change of later.flatMap(namedBy)) {
    const key = subjectKey(change);
    newest.set(key, Math.max(newest.get(key) ?? 0, Date.parse(change.at)));
  }
  const isCurrent = (subject: Pick<Alert, 'kind'> & { monitorId: string }, at: number) =>
    (newest.get(subjectKey(subject)) ?? 0) <= at;
  const { id, kind, monitor, changes } = alert;
  if (!changes) return isCurrent({ kind, monitorId: monitor.id }, alert.at.getTime()) ? alert : undefined;
  const current = changes.filter((change) => isCurrent(change, Date.parse(change.at)));
  if (current.length === changes.length) return alert;
  return current.length === 0 ? undefined : { ...alert, monitor: subjectOf(id, current), changes: current };
}

/** Returns a key that a monitor's states share. Expiring certificates have a separate key. */
function subjectKey({ kind, monitorId }: Pick<Alert, 'kind'> & { monitorId: string }): string {
  return kind === 'cert_expiring' ? `certificate ${monitorId}` : monitorId;
}

function namedBy({
  id: alertId,
  kind: alertKind,
  monitor,
  at,
  error,
  disruptionId,
  changes = [],
}: Alert): readonly Change[] {
  if (alertKind === 'monitors_changed') return changes;
  const kind = alertKind === 'monitor_still_down' ? 'monitor_down' : alertKind;
  if (!isChange(kind) && kind !== 'cert_expiring' && kind !== 'channel_broken' && kind !== 'channel_healed') return [];
  const { id: monitorId, name } = monitor;
  return [{ kind, monitorId, name, at: at.toISOString(), error, alertId, disruptionId }];
}

/** Returns the subject of a message: the monitor if there is only one, otherwise the number of monitors or alerts. */
function subjectOf(id: string, changes: readonly Change[]): Alert['monitor'] {
  const [only, ...others] = changes;
  if (only && others.length === 0) return { id: only.monitorId, name: only.name, url: '' };
  const isMonitors = changes.every(({ kind }) => isChange(kind));
  return { id, name: `${changes.length} ${isMonitors ? 'monitors' : 'alerts'}`, url: '' };
}

/**
 * Returns the alert that lists the changes of several monitors, or combines several changes of one monitor. `stormId`
 * is used instead of a monitor's id if the alert lists several entries.
 */
export function stormAlert({
  id,
  eventId,
  organizationId,
  stormId,
  changes,
  now,
}: Pick<Alert, 'id' | 'eventId' | 'organizationId'> & {
  stormId: string;
  changes: readonly Change[];
  now: Date;
}): Alert {
  return {
    id,
    eventId,
    organizationId,
    kind: 'monitors_changed',
    at: now,
    downSince: undefined,
    error: '',
    occurredAt: now,
    monitor: subjectOf(stormId, changes),
    changes,
  };
}
