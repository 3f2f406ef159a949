import type { Runtime } from '@tocsin/runtime';
import { Counter, Gauge } from 'prom-client';

export type Meters = ReturnType<typeof createMeters>;

export function createMeters({ metrics }: Runtime) {
  const registers = [metrics];
  return {
    jobs: new Counter({
      name: 'tocsin_checks_total',
      help: 'Jobs taken, by how they ended: an outcome, or late (not checked) or gone (monitor deleted).',
      labelNames: ['outcome'],
      registers,
    }),
    waiting: new Gauge({ name: 'tocsin_checks_waiting', help: 'Jobs that wait for a slot.', registers }),
    connected: new Gauge({
      name: 'tocsin_checker_connected',
      help: '1, or 0 while no reference can be reached and failures are reported as unknown.',
      registers,
    }),
    running: new Gauge({ name: 'tocsin_checks_running', help: 'Checks that run now.', registers }),
  };
}
