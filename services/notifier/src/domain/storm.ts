import type { Alert, AlertKind } from './alert.ts';

/** Changes of a monitor's state; only these are grouped. */
export const CHANGE_KINDS = ['monitor_down', 'monitor_recovered', 'monitor_stale'] as const satisfies AlertKind[];
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Monitors of one organization that change within STORM_WINDOW_MS become one message for each channel. */
export const DEFAULT_STORM_MONITORS = 5;
export const STORM_WINDOW_MS = 20_000;
/** Time from one message of a storm to the next. The last one repeats. */
const WAITS_MS = [20_000, 60_000, 300_000];

/** One monitor in a message about several. */
export interface Change {
  readonly kind: ChangeKind;
  readonly monitorId: string;
  readonly name: string;
  /** When it entered that state, as ISO 8601. */
  readonly at: string;
  /** What went wrong; empty for a recovery. */
  readonly error: string;
}

export function isChange(kind: AlertKind): kind is ChangeKind {
  return CHANGE_KINDS.some((change) => change === kind);
}

/** Returns when the next message of a storm is due after so many. */
export function nextMessageAt(messages: number, now: Date): Date {
  return new Date(now.getTime() + (WAITS_MS[messages - 1] ?? WAITS_MS.at(-1) ?? 0));
}

/** Returns what became of each monitor at last, in the order in which they changed first. */
export function changesOf(alerts: readonly Alert[]): Change[] {
  const changes = new Map<string, Change>();
  for (const { kind, monitor, at, error } of alerts) {
    if (!isChange(kind)) continue;
    changes.set(monitor.id, { kind, monitorId: monitor.id, name: monitor.name, at: at.toISOString(), error });
  }
  return [...changes.values()];
}

/** Returns the alert that names several monitors; the storm stands where a monitor would. */
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
