import type { Alert, AlertKind, AlertMonitor, ExpiringCertificate } from './alert.ts';
import type { Change } from './storm.ts';

/** A change of a monitor or channel, with the URL of the outage's page if there is one. */
export type LinkedChange = Change & { readonly outageLink?: string | undefined };

/** Content of an alert to a channel. Each type of channel creates its message from this content. */
export interface Notice {
  /** Id that all attempts share, so that a receiver can recognize repeats. */
  readonly id: string;
  readonly organizationId: string;
  readonly kind: AlertKind;
  readonly monitor: AlertMonitor;
  /** URL of the monitor in the API. */
  readonly monitorLink: string;
  /** URL of the outage's public page, which requires no credentials. */
  readonly outageLink: string;
  readonly channelName: string;
  /** Time at which the monitor entered its state. */
  readonly at: Date;
  /** Error of the check. Empty for a recovery. */
  readonly error: string;
  /** Duration of the downtime in milliseconds. Set only for a recovery and a reminder. */
  readonly downtimeMs: number | undefined;
  /** Set for `cert_expiring` only. */
  readonly certificate?: ExpiringCertificate | undefined;
  /** Id of the disruption that the alert's event opens or resolves; undefined if there is none. */
  readonly disruptionId?: string | undefined;
  /**
   * URL of a public status page that shows the monitor. Set only if such a page exists and the type of channel uses it.
   */
  readonly statusPageUrl?: string | undefined;
  /** Key of the incident to close. Set for `incident_closed` only. */
  readonly incidentKey?: string | undefined;
  /** Changed monitors with their new states. Set for `monitors_changed` only. */
  readonly changes?: readonly LinkedChange[] | undefined;
  /** Whether the alert was held while the channel was broken, or is replayed. */
  readonly late?: boolean | undefined;
  /** Set for the last message within the channel's limit. Further alerts are held back until this time. */
  readonly heldBackUntil?: Date | undefined;
  /** Marks (hashed addresses) of the recipients that already got the alert from an earlier attempt. */
  readonly reached?: readonly string[];
}

/** Returns the content of an alert to a channel. */
export function noticeOf(
  {
    organizationId,
    kind,
    monitor,
    at,
    downSince,
    error,
    certificate,
    disruptionId,
    incidentKey,
    changes,
    occurredAt,
  }: Alert,
  {
    deliveryId,
    channelName,
    baseUrl,
    outageLink,
  }: { deliveryId: string; channelName: string; baseUrl: string; outageLink: string },
): Notice {
  return {
    id: deliveryId,
    organizationId,
    kind,
    monitor,
    monitorLink:
      kind === 'channel_broken' || kind === 'channel_healed'
        ? channelLink(baseUrl, monitor.id)
        : monitorLink(baseUrl, monitor.id),
    outageLink,
    channelName,
    at,
    error,
    certificate,
    disruptionId,
    incidentKey,
    changes,
    downtimeMs: downtimeOf({ kind, at, downSince, occurredAt }),
  };
}

/** Returns the downtime until a recovery or reminder, in milliseconds; undefined for other alerts. */
function downtimeOf({
  kind,
  at,
  downSince,
  occurredAt,
}: Pick<Alert, 'kind' | 'at' | 'downSince' | 'occurredAt'>): number | undefined {
  if (kind === 'monitor_still_down') return Math.max(0, occurredAt.getTime() - at.getTime());
  return downSince && Math.max(0, at.getTime() - downSince.getTime());
}

/** Returns the URL of a monitor in the API. */
export function monitorLink(baseUrl: string, id: string): string {
  return `${baseUrl}/api/v1/monitors/${id}`;
}

/** Returns the URL of an alert channel in the API. */
export function channelLink(baseUrl: string, id: string): string {
  return `${baseUrl}/api/v1/alert-channels/${id}`;
}

/** Status that messages show for each kind of alert: the state of the monitor, or the subject of the alert. */
export const STATUS_OF: Record<
  AlertKind,
  | 'down'
  | 'up'
  | 'stale'
  | 'cert_expiring'
  | 'test'
  | 'closed'
  | 'channel_broken'
  | 'channel_healed'
  | 'monitors_changed'
  | 'flapping'
> = {
  monitor_down: 'down',
  monitor_recovered: 'up',
  monitor_stale: 'stale',
  cert_expiring: 'cert_expiring',
  test: 'test',
  incident_closed: 'closed',
  channel_broken: 'channel_broken',
  channel_healed: 'channel_healed',
  monitors_changed: 'monitors_changed',
  monitor_still_down: 'down',
  monitor_flapping: 'flapping',
};

/** Formats a time in UTC, in whole seconds: `2026-11-20T10:00:00Z`. */
export function formatTime(at: Date): string {
  return at.toISOString().replace(/\.\d{3}Z$/, 'Z');
}
