import type { Alert, AlertKind, AlertMonitor, ExpiringCertificate } from './alert.ts';
import type { Change } from './storm.ts';

/** One alert for one channel: everything that a message can say. */
export interface Notice {
  /** The same for every attempt, so that a receiver recognizes repeats. */
  readonly id: string;
  readonly organizationId: string;
  readonly kind: AlertKind;
  readonly monitor: AlertMonitor;
  /** Where the monitor can be read through the API. */
  readonly monitorLink: string;
  /** The public page of the outage, which needs no credential. */
  readonly outageLink: string;
  readonly channelName: string;
  /** When the monitor's state was entered. */
  readonly at: Date;
  /** What went wrong; empty for a recovery. */
  readonly error: string;
  /** How long the monitor was down; for a recovery only. */
  readonly downtimeMs: number | undefined;
  /** For `cert_expiring` only. */
  readonly certificate?: ExpiringCertificate | undefined;
  /** Undefined when no disruption is opened or resolved. */
  readonly disruptionId?: string | undefined;
  /**
   * Where the public finds a page that shows the monitor; set for a kind of channel that wants it, where there is one.
   */
  readonly statusPageUrl?: string | undefined;
  /** For an alert that only closes an incident: which one. */
  readonly incidentKey?: string | undefined;
  /** For a message about several monitors: what happened to which. */
  readonly changes?: readonly Change[] | undefined;
  /** It was held while the channel was broken, or is replayed. */
  readonly late?: boolean | undefined;
  /** Of several recipients, who has it from an attempt before: marks that the kind of channel made. */
  readonly reached?: readonly string[];
}

/** An alert as a channel's messages show it. */
export function noticeOf(
  { organizationId, kind, monitor, at, downSince, error, certificate, disruptionId, incidentKey, changes }: Alert,
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
    monitorLink: kind === 'channel_broken' ? channelLink(baseUrl, monitor.id) : monitorLink(baseUrl, monitor.id),
    outageLink,
    channelName,
    at,
    error,
    certificate,
    disruptionId,
    incidentKey,
    changes,
    downtimeMs: downSince && Math.max(0, at.getTime() - downSince.getTime()),
  };
}

/** Where a monitor can be read through the API. */
export function monitorLink(baseUrl: string, id: string): string {
  return `${baseUrl}/api/v1/monitors/${id}`;
}

/** Where an alert channel can be read through the API. */
export function channelLink(baseUrl: string, id: string): string {
  return `${baseUrl}/api/v1/alert-channels/${id}`;
}

/** What the monitor's state is after an alert, or what else the alert is about. */
export const STATUS_OF: Record<
  AlertKind,
  'down' | 'up' | 'stale' | 'cert_expiring' | 'test' | 'closed' | 'channel_broken' | 'monitors_changed'
> = {
  monitor_down: 'down',
  monitor_recovered: 'up',
  monitor_stale: 'stale',
  cert_expiring: 'cert_expiring',
  test: 'test',
  incident_closed: 'closed',
  channel_broken: 'channel_broken',
  monitors_changed: 'monitors_changed',
};

/** UTC in whole seconds: `2026-11-20T10:00:00Z`. */
export function formatTime(at: Date): string {
  return at.toISOString().replace(/\.\d{3}Z$/, 'Z');
}
