import type { Runtime } from '@tocsin/runtime';
import { Counter, Gauge, type Registry } from 'prom-client';

export type Meters = ReturnType<typeof createMeters>;

const created = new WeakMap<Registry, Meters>();

/** Returns the metrics that all consumers of a service share. A label names the consumer. */
export function metersOf({ metrics }: Runtime): Meters {
  const known = created.get(metrics);
  if (known) return known;
  const meters = createMeters(metrics);
  created.set(metrics, meters);
  return meters;
}

function createMeters(registry: Registry) {
  const registers = [registry];
  const labelNames = ['consumer', 'type'] as const;
  return {
    handled: new Counter({
      name: 'tocsin_events_handled_total',
      help: 'Events that were handled.',
      labelNames,
      registers,
    }),
    repeated: new Counter({
      name: 'tocsin_events_repeated_total',
      help: 'Events that were delivered again.',
      labelNames,
      registers,
    }),
    retried: new Counter({
      name: 'tocsin_events_retried_total',
      help: 'Events whose handling failed and is retried.',
      labelNames,
      registers,
    }),
    stored: new Counter({
      name: 'tocsin_event_backlog_stored_total',
      help: 'Events that waited in the database, because their organization had more than the memory holds.',
      labelNames: ['consumer'],
      registers,
    }),
    behind: new Gauge({
      name: 'tocsin_event_backlog_organizations',
      help: 'Organizations whose events wait in the database.',
      labelNames: ['consumer'],
      registers,
    }),
    buried: new Counter({
      name: 'tocsin_events_dead_total',
      help: 'Events whose handling failed for good, moved to dead_letter.',
      labelNames,
      registers,
    }),
  };
}
