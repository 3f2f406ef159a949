import type { Alert, AlertKind } from './alert.ts';

/** Kinds of alerts about a change of a monitor's state. Only these are grouped. */
export const CHANGE_KINDS = ['monitor_down', 'monitor_recovered', 'monitor_stale'] as const satisfies AlertKind[];
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/**
 * Default number of monitors of one organization whose changes within STORM_WINDOW_MS become one message for each
 * channel.
 */
export const DEFAULT_STORM_MONITORS = 5;
export const STORM_WINDOW_MS = 20_000;
/** Waits between the messages of a storm. The last one repeats. */
const WAITS_MS = [20_000, 60_000, 300_000];

/** A monitor in a message about several. */
export interface Change {
  readonly kind: ChangeKind;
  readonly monitorId: string;
  readonly name: string;
  /** Time at which it entered the state, as ISO 8601. */
  readonly at: string;
  /** Error of the check; empty for a recovery. */
  readonly error: string;
}

export function isChange(kind: AlertKind): kind is ChangeKind {
  return CHANGE_KINDS.some((change) => change === kind);
}

/** Returns when the next message of a storm is due after `messages` messages. */
export function nextMessageAt(messages: number, now: Date): Date {
  return new Date(now.getTime() + (WAITS_MS[messages - 1] ?? WAITS_MS.at(-1) ?? 0));
}

/** Returns the last change of each monitor, in the order of their first changes. */
export function changesOf(alerts: readonly Alert[]): Change[] {
  const changes = new Map<string, Change>();
  for (const { kind, monitor, at, error } of alerts) {
    if (!isChange(kind)) continue;
    changes.set(monitor.id, { kind, monitorId: monitor.id, name: monitor.name, at: at.toISOString(), error });
  }
  return [...changes.values()];
}

/** Returns the alert that names several monitors. Its `monitor` describes the storm. */
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
    ...{
      id,
      eventId,
      organizationId,
      kind: 'monitors_changed',
      at: now,
      downSince: undefined,
      error: '',
      occurredAt: now,
    },
    monitor: { id: stormId, name: `${changes.length} monitors`, url: '' },
    changes,
  };
}
