import type { AlertKind } from '../domain/alert.ts';
import type { Notice } from '../domain/notice.ts';

/** What services that page people open and close. */
export interface Incident {
  /** The same for everything that belongs to one incident, so that a repeat opens none and a recovery closes it. */
  readonly key: string;
  readonly isOver: boolean;
  readonly isUrgent: boolean;
}

export function incidentOf({ id, kind, monitor }: Notice): Incident {
  const subject: Record<AlertKind, string> = {
    monitor_down: `monitor-${monitor.id}`,
    monitor_recovered: `monitor-${monitor.id}`,
    monitor_stale: `monitor-${monitor.id}`,
    cert_expiring: `certificate-${monitor.id}`,
    test: `test-${id}`,
  };
  return { key: `tocsin-${subject[kind]}`, isOver: kind === 'monitor_recovered', isUrgent: kind === 'monitor_down' };
}
