import type { Runtime } from '@tocsin/runtime';
import { Counter, type Registry } from 'prom-client';

export type Meters = ReturnType<typeof createMeters>;

const created = new WeakMap<Registry, Meters>();

/** The metrics of all consumers of a service; they share them and differ by label. */
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
    handled: new Counter({ name: 'tocsin_events_handled_total', help: 'Facts that counted.', labelNames, registers }),
    repeated: new Counter({
      name: 'tocsin_events_repeated_total',
      help: 'Facts that came again.',
      labelNames,
      registers,
    }),
    retried: new Counter({
      name: 'tocsin_events_retried_total',
      help: 'Facts put off after a failure.',
      labelNames,
      registers,
    }),
    buried: new Counter({
      name: 'tocsin_events_dead_total',
      help: 'Facts that could not be digested.',
      labelNames,
      registers,
    }),
  };
}
