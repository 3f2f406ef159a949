import type { ChannelType } from '@tocsin/enums';
import type { Alert } from './alert.ts';
import { type Notice, noticeOf } from './notice.ts';
import type { Outcome } from './outcome.ts';

/** An incident at a service that pages people. */
export interface Incident {
  /**
   * Key of the incident at the service. Each outage has its own key. The next outage therefore pages again, and a late
   * recovery does not close a newer incident. Missing data and each certificate threshold also have their own keys, so
   * that their incidents do not hide an outage.
   */
  readonly key: string;
  readonly isOver: boolean;
  readonly isUrgent: boolean;
}

/** If a certificate expires within this number of days, its incident is as urgent as an outage. */
const URGENT_DAYS = 1;

/** Types of channels that open incidents. */
export const PAGERS: ReadonlySet<string> = new Set<ChannelType>([
  'pagerduty',
  'ilert',
  'incident_io',
  'grafana_irm',
  'opsgenie',
  'jira_service_management',
]);

export function isPager(channelType: string): boolean {
  return PAGERS.has(channelType);
}

/**
 * Prefixes of incident keys. A recovery closes incidents with the prefixes `outage` and `stale`. An outage closes
 * incidents with the prefix `stale`.
 */
export const KEY_PREFIXES = { outage: 'tocsin-outage-', stale: 'tocsin-stale-', certificate: 'tocsin-certificate-' };

export function incidentOf(notice: Notice): Incident {
  const { kind, certificate } = notice;
  return {
    key: notice.incidentKey ?? `tocsin-${subjectOf(notice)}`,
    isOver: kind === 'monitor_recovered' || kind === 'incident_closed',
    isUrgent:
      kind === 'monitor_down' ||
      kind === 'monitor_still_down' ||
      (certificate !== undefined && certificate.daysRemaining <= URGENT_DAYS),
  };
}

/** Returns the incident that an alert opens or closes. The incident is the same for all channels. */
export function incidentOfAlert(alert: Omit<Alert, 'id'>): Incident {
  const place = { deliveryId: '', channelName: '', baseUrl: '', outageLink: '' };
  return incidentOf(noticeOf({ ...alert, id: '' }, place));
}

function subjectOf({ id, kind, monitor, at, downtimeMs, disruptionId, certificate }: Notice): string {
  const stale = `stale-${monitor.id}`;
  switch (kind) {
    case 'monitor_down':
    case 'monitor_still_down':
      return outage(disruptionId, monitor.id, at);
    case 'monitor_recovered':
      // A recovery without a downtime means that the monitor was not down, but only had no recent data.
      if (downtimeMs === undefined) return stale;
      return outage(disruptionId, monitor.id, new Date(at.getTime() - downtimeMs));
    case 'monitor_stale':
      return stale;
    case 'cert_expiring':
      return `certificate-${monitor.id}-${seconds(certificate?.expiresAt)}-${certificate?.daysRemaining}`;
    case 'test':
    case 'incident_closed':
    case 'channel_broken':
    case 'channel_healed':
    case 'monitors_changed':
    case 'monitor_flapping':
      return `test-${id}`;
  }
}

/**
 * Returns the key of an outage. The key contains the disruption. If there is no disruption, it contains the monitor and
 * the time at which the monitor went down.
 */
function outage(disruptionId: string | undefined, monitorId: string, since: Date): string {
  return `outage-${disruptionId ?? `${monitorId}-${seconds(since)}`}`;
}

function seconds(time: Date | undefined): number {
  return Math.floor((time?.getTime() ?? 0) / 1000);
}

/** Opens or closes a notice's incident. A test incident is closed immediately. */
export async function sendIncident(
  notice: Notice,
  send: (notice: Notice, incident: Incident) => Promise<Outcome>,
): Promise<Outcome> {
  const incident = incidentOf(notice);
  const outcome = await send(notice, incident);
  if (notice.kind !== 'test' || outcome.kind !== 'delivered') return outcome;
  return send(notice, { ...incident, isOver: true });
}
