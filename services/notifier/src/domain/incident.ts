import type { Alert } from './alert.ts';
import { type Notice, noticeOf } from './notice.ts';
import type { Outcome } from './outcome.ts';

/** What services that page people open and close. */
export interface Incident {
  /**
   * Names one incident: each outage has its own, so that the next one pages again and a late recovery closes no newer
   * one. A monitor without recent data and each threshold of a certificate have others, so that they hide no outage.
   */
  readonly key: string;
  readonly isOver: boolean;
  readonly isUrgent: boolean;
}

/** A certificate that ends within this many days pages like an outage. */
const URGENT_DAYS = 1;

/** Channels of these types open incidents. */
export const PAGERS: ReadonlySet<string> = new Set(['pagerduty', 'ilert', 'incident_io', 'grafana_irm']);

export function isPager(channelType: string): boolean {
  return PAGERS.has(channelType);
}

/** Beginnings of the keys of incidents that a recovery ends, of those that a down ends, and of certificates. */
export const KEY_PREFIXES = { outage: 'tocsin-outage-', stale: 'tocsin-stale-', certificate: 'tocsin-certificate-' };

export function incidentOf(notice: Notice): Incident {
  const { kind, certificate } = notice;
  return {
    key: notice.incidentKey ?? `tocsin-${subjectOf(notice)}`,
    isOver: kind === 'monitor_recovered' || kind === 'incident_closed',
    isUrgent: kind === 'monitor_down' || (certificate !== undefined && certificate.daysRemaining <= URGENT_DAYS),
  };
}

/** Returns what an alert opens or closes, wherever it is sent. */
export function incidentOfAlert(alert: Omit<Alert, 'id'>): Incident {
  const place = { deliveryId: '', channelName: '', baseUrl: '', outageLink: '' };
  return incidentOf(noticeOf({ ...alert, id: '' }, place));
}

function subjectOf({ id, kind, monitor, at, downtimeMs, disruptionId, certificate }: Notice): string {
  const stale = `stale-${monitor.id}`;
  switch (kind) {
    case 'monitor_down':
      return outage(disruptionId, monitor.id, at);
    case 'monitor_recovered':
      // It was down, or had no recent data.
      if (downtimeMs === undefined) return stale;
      return outage(disruptionId, monitor.id, new Date(at.getTime() - downtimeMs));
    case 'monitor_stale':
      return stale;
    case 'cert_expiring':
      return `certificate-${monitor.id}-${seconds(certificate?.expiresAt)}-${certificate?.daysRemaining}`;
    case 'test':
    case 'incident_closed':
    case 'channel_broken':
    case 'monitors_changed':
      return `test-${id}`;
  }
}

/** The disruption is the outage; where there is none, the monitor and the time at which it went down are. */
function outage(disruptionId: string | undefined, monitorId: string, since: Date): string {
  return `outage-${disruptionId ?? `${monitorId}-${seconds(since)}`}`;
}

function seconds(time: Date | undefined): number {
  return Math.floor((time?.getTime() ?? 0) / 1000);
}

/** Sends what a notice opens or closes; what a test opens is closed at once. */
export async function sendIncident(
  notice: Notice,
  send: (notice: Notice, incident: Incident) => Promise<Outcome>,
): Promise<Outcome> {
  const incident = incidentOf(notice);
  const outcome = await send(notice, incident);
  if (notice.kind !== 'test' || outcome.kind !== 'delivered') return outcome;
  return send(notice, { ...incident, isOver: true });
}
