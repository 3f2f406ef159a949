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
] as const;
/** The nil UUID of RFC 9562. */
const NO_MONITOR = '00000000-0000-0000-0000-000000000000';

export type AlertKind = (typeof ALERT_KINDS)[number];

/** A monitor as it was when the alert arose. */
export interface AlertMonitor {
  readonly id: string;
  readonly name: string;
  /** What it checks; empty where that has no address. */
  readonly url: string;
}

/** A certificate that ends soon, or has ended. */
export interface ExpiringCertificate {
  readonly expiresAt: Date;
  /** Whole days, rounded down; negative once it has expired. */
  readonly daysRemaining: number;
}

/** Something that people must be alerted of. */
export interface Alert {
  readonly id: string;
  readonly organizationId: string;
  /** The event behind it; an event that is delivered again makes no second alert. */
  readonly eventId: string;
  readonly kind: AlertKind;
  readonly monitor: AlertMonitor;
  /** When the monitor's state was entered. */
  readonly at: Date;
  /** When it had gone down; for a recovery only. */
  readonly downSince: Date | undefined;
  /** What went wrong; empty for a recovery. */
  readonly error: string;
  /** For `cert_expiring` only. */
  readonly certificate?: ExpiringCertificate | undefined;
  /** The disruption that is opened or resolved beside it; undefined when there is none. */
  readonly disruptionId?: string | undefined;
  /** For `incident_closed` only, which nothing but a service that pages people gets: the incident that ends. */
  readonly incidentKey?: string | undefined;
  /** For `monitors_changed` only: what happened to which monitor. */
  readonly changes?: readonly Change[] | undefined;
  /** When the event was committed at its source. */
  readonly occurredAt: Date;
}

/** An alert that somebody asked for, about a monitor that does not exist. */
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

/** An alert that tells the other channels of an organization that one is broken: it stands where a monitor would. */
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

/** The alert for a change of state; undefined when none is due. */
export function alertKindOf(previous: MonitorState | undefined, state: MonitorState): AlertKind | undefined {
  if (state === 'down') return 'monitor_down';
  if (state === 'stale') return 'monitor_stale';
  return state === 'up' && (previous === 'down' || previous === 'stale') ? 'monitor_recovered' : undefined;
}

/**
 * The address that a monitor checks, from its configuration. It is shown to people, so it comes without credentials and
 * without characters that can't be seen.
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
