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
  'channel_healed',
  'monitors_changed',
  'monitor_still_down',
  'monitor_flapping',
] as const;
/** Id of the nonexistent monitor in test alerts: the nil UUID of RFC 9562. */
const NO_MONITOR = '00000000-0000-0000-0000-000000000000';

export type AlertKind = (typeof ALERT_KINDS)[number];

/** Data of a monitor at the time of the alert. */
export interface AlertMonitor {
  readonly id: string;
  readonly name: string;
  /** Address that the monitor checks; empty if its check has no address. */
  readonly url: string;
}

/** A certificate that expires soon or has expired. */
export interface ExpiringCertificate {
  readonly expiresAt: Date;
  /** Whole days until expiry, rounded down; negative after expiry. */
  readonly daysRemaining: number;
}

/** An event that people must be alerted of. */
export interface Alert {
  readonly id: string;
  readonly organizationId: string;
  /** Id of the event that caused the alert. If the event is redelivered, it does not cause a second alert. */
  readonly eventId: string;
  readonly kind: AlertKind;
  readonly monitor: AlertMonitor;
  /** Time at which the monitor entered its state. */
  readonly at: Date;
  /** Time at which the monitor went down. Set only for a recovery. */
  readonly downSince: Date | undefined;
  /** Error of the check. Empty for a recovery. */
  readonly error: string;
  /** Set for `cert_expiring` only. */
  readonly certificate?: ExpiringCertificate | undefined;
  /** Disruption that is opened or resolved together with this alert; undefined if there is none. */
  readonly disruptionId?: string | undefined;
  /** Key of the incident to close. Set for `incident_closed` only. */
  readonly incidentKey?: string | undefined;
  /** Changed monitors with their new states. Set for `monitors_changed` only. */
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
 * Returns an alert about a broken channel, for the organization's other channels. Its field `monitor` describes the
 * broken channel.
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

/**
 * Returns an alert about a channel that was broken and is enabled again. It is sent only to channels that were alerted
 * of the broken channel.
 */
export function channelHealedAlert(input: Omit<Parameters<typeof channelBrokenAlert>[0], 'reason'>): Alert {
  return { ...channelBrokenAlert({ ...input, reason: '' }), kind: 'channel_healed' };
}

/** Returns a reminder that an outage continues. `down` is the alert about the start of the outage. */
export function reminderOf(down: Alert, ids: Pick<Alert, 'id' | 'eventId'>, now: Date): Alert {
  return { ...down, ...ids, kind: 'monitor_still_down', occurredAt: now };
}

/** Returns the alert that a monitor is flapping. `change` is the alert about the monitor's latest change. */
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

/** Returns the kind of alert for a state change; undefined if the change causes no alert. */
export function alertKindOf(previous: MonitorState | undefined, state: MonitorState): AlertKind | undefined {
  if (state === 'down') return 'monitor_down';
  if (state === 'stale') return 'monitor_stale';
  return state === 'up' && (previous === 'down' || previous === 'stale') ? 'monitor_recovered' : undefined;
}

/**
 * Returns the address that a monitor checks, from its configuration. Removes credentials and invisible characters,
 * because people see the address.
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
