import type { MonitorState } from '@tocsin/enums';
import type { Change } from './storm.ts';

export const ALERT_KINDS = [
  'monitor_down',
  'monitor_recovered',
  'monitor_stale',
  'cert_expiring',
  'test',
  'incident_closed',
  'channel_broken',
  'monitors_changed',
  'monitor_still_down',
  'monitor_flapping',
] as const;
/** The nil UUID of RFC 9562. */
const NO_MONITOR = '00000000-0000-0000-0000-000000000000';

export type AlertKind = (typeof ALERT_KINDS)[number];

/** A monitor at the time of the alert. */
export interface AlertMonitor {
  readonly id: string;
  readonly name: string;
  /** Address that it checks; empty if the check has none. */
  readonly url: string;
}

/** A certificate that expires soon or has expired. */
export interface ExpiringCertificate {
  readonly expiresAt: Date;
  /** Whole days, rounded down; negative once it has expired. */
  readonly daysRemaining: number;
}

/** An event that people must be alerted of. */
export interface Alert {
  readonly id: string;
  readonly organizationId: string;
  /** Id of the event that caused the alert; a redelivered event does not cause a second alert. */
  readonly eventId: string;
  readonly kind: AlertKind;
  readonly monitor: AlertMonitor;
  /** Time at which the monitor entered its state. */
  readonly at: Date;
  /** Time at which the monitor went down; for a recovery only. */
  readonly downSince: Date | undefined;
  /** Error of the check; empty for a recovery. */
  readonly error: string;
  /** For `cert_expiring` only. */
  readonly certificate?: ExpiringCertificate | undefined;
  /** Disruption that is opened or resolved together with this alert; undefined if there is none. */
  readonly disruptionId?: string | undefined;
  /** Key of the incident to close. For `incident_closed` only, which is sent only to services that page people. */
  readonly incidentKey?: string | undefined;
  /** Changed monitors with their new state. For `monitors_changed` only. */
  readonly changes?: readonly Change[] | undefined;
  /** Time at which the event was committed at its source. */
  readonly occurredAt: Date;
}

/** Returns a test alert about a monitor that does not exist. */
export function testAlert({
  now,
  ...ids
}: Pick<Alert, 'id' | 'organizationId' | 'eventId'> & { readonly now: Date }): Alert {
  return {
    ...ids,
    kind: 'test',
    monitor: { id: NO_MONITOR, name: 'Test alert', url: '' },
    at: now,
    downSince: undefined,
    error: '',
    occurredAt: now,
  };
}

/**
 * Returns the alert to an organization's other channels that one channel is broken. Its `monitor` describes the broken
 * channel.
 */
export function channelBrokenAlert({
  channel,
  reason,
  now,
  ...ids
}: Pick<Alert, 'id' | 'organizationId' | 'eventId'> & {
  readonly channel: { readonly id: string; readonly name: string };
  readonly reason: string;
  readonly now: Date;
}): Alert {
  return {
    ...ids,
    kind: 'channel_broken',
    monitor: { id: channel.id, name: `Alert channel ${channel.name}`, url: '' },
    at: now,
    downSince: undefined,
    error: reason,
    occurredAt: now,
  };
}

/** Returns the reminder that the outage of an alert lasts. */
export function reminderOf(down: Alert, ids: Pick<Alert, 'id' | 'eventId'>, now: Date): Alert {
  return { ...down, ...ids, kind: 'monitor_still_down', occurredAt: now };
}

/** Returns the alert that a monitor is flapping, after the change that another alert is about. */
export function flappingAlert(change: Alert, ids: Pick<Alert, 'id' | 'eventId'>, now: Date): Alert {
  return {
    ...change,
    ...ids,
    kind: 'monitor_flapping',
    downSince: undefined,
    disruptionId: undefined,
    occurredAt: now,
  };
}

/** Returns the kind of alert for a change of state; undefined if it causes none. */
export function alertKindOf(previous: MonitorState | undefined, state: MonitorState): AlertKind | undefined {
  if (state === 'down') return 'monitor_down';
  if (state === 'stale') return 'monitor_stale';
  return state === 'up' && (previous === 'down' || previous === 'stale') ? 'monitor_recovered' : undefined;
}

/**
 * Returns the address that a monitor checks, from its configuration. Because it is shown to people, credentials and
 * invisible characters are removed.
 */
export function addressOf(config: Readonly<Record<string, unknown>>): string {
  const { url, host, port } = config;
  if (typeof url === 'string') return shownUrl(url);
  if (typeof host !== 'string' || CONTROL.test(host)) return '';
  return typeof port === 'number' ? `${host}:${port}` : host;
}

const CONTROL = /\p{Cc}/u;

function shownUrl(text: string): string {
  const url = URL.parse(text);
  if (!url) return '';
  if (url.username === '' && url.password === '' && !CONTROL.test(text)) return text;
  url.username = '';
  url.password = '';
  return url.href;
}
