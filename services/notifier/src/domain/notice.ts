import type { Alert, AlertKind, AlertMonitor } from './alert.ts';

/** One alert for one channel: everything that a message can say. */
export interface Notice {
  /** The same for every attempt, so that a receiver can tell repeats. */
  readonly id: string;
  readonly kind: AlertKind;
  readonly monitor: AlertMonitor;
  /** Where the monitor can be read through the API. */
  readonly monitorLink: string;
  readonly channelName: string;
  /** When the monitor's state was entered. */
  readonly at: Date;
  /** What went wrong; empty for a recovery. */
  readonly error: string;
  /** How long the monitor was down; for a recovery only. */
  readonly downtimeMs: number | undefined;
}

/** What a channel is told about an alert. */
export function noticeOf(
  { kind, monitor, at, downSince, error }: Alert,
  { deliveryId, channelName, baseUrl }: { deliveryId: string; channelName: string; baseUrl: string },
): Notice {
  return {
    id: deliveryId,
    kind,
    monitor,
    monitorLink: `${baseUrl}/api/v1/monitors/${monitor.id}`,
    channelName,
    at,
    error,
    downtimeMs: downSince && Math.max(0, at.getTime() - downSince.getTime()),
  };
}

/** A monitor's state in the words of the contract. */
export const STATUS_OF: Record<AlertKind, 'down' | 'up' | 'stale' | 'test'> = {
  monitor_down: 'down',
  monitor_recovered: 'up',
  monitor_stale: 'stale',
  test: 'test',
};

/** UTC in whole seconds: `2026-11-20T10:00:00Z`. */
export function formatTime(at: Date): string {
  return at.toISOString().replace(/\.\d{3}Z$/, 'Z');
}
