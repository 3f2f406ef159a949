import type { AlertKind } from '../../domain/alert.ts';
import { type Incident, incidentOf } from '../../domain/incident.ts';
import type { Notice } from '../../domain/notice.ts';
import { cut, detailsOf, headlineOf } from '../words.ts';

/** Maximum length of a PagerDuty summary, in characters: https://developer.pagerduty.com/docs/send-alert-event */
const MAX_SUMMARY = 1024;
const MAX_VALUE = 1024;

const SEVERITY: Record<AlertKind, 'critical' | 'warning' | 'info'> = {
  monitor_down: 'critical',
  monitor_recovered: 'info',
  monitor_stale: 'warning',
  cert_expiring: 'warning',
  test: 'info',
  incident_closed: 'info',
  channel_broken: 'warning',
  channel_healed: 'info',
  monitors_changed: 'warning',
  monitor_still_down: 'critical',
  monitor_flapping: 'warning',
};

/** Returns the event that opens or closes an incident. */
export function pagerdutyEvent(
  notice: Notice,
  routingKey: string,
  { key, isOver, isUrgent }: Incident = incidentOf(notice),
) {
  const { kind, monitor, outageLink, at, error } = notice;
  const about = { routing_key: routingKey, dedup_key: key };
  if (isOver) return { ...about, event_action: 'resolve' };
  const headline = headlineOf(notice, MAX_SUMMARY);
  return {
    ...about,
    event_action: 'trigger',
    client: 'Tocsin',
    client_url: outageLink,
    links: [{ href: outageLink, text: 'Details' }],
    payload: {
      summary: cut(error === '' ? headline : `${headline}: ${error}`, MAX_SUMMARY),
      source: cut(monitor.url || monitor.name, MAX_VALUE),
      severity: isUrgent ? 'critical' : SEVERITY[kind],
      timestamp: at.toISOString(),
      class: kind,
      custom_details: Object.fromEntries(detailsOf(notice, MAX_VALUE).map(({ name, value }) => [name, value])),
    },
  };
}
