import type { Runtime } from '@tocsin/runtime';
import { Counter, Gauge, Histogram } from 'prom-client';

/** Creates the schedule metrics and the result metrics. */
export function createMeters({ metrics }: Runtime) {
  const registers = [metrics];
  return {
    scheduleLag: new Histogram({
      name: 'tocsin_schedule_lag_seconds',
      help: 'Time between the moment a round was due and the moment its jobs were sent.',
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60],
      registers,
    }),
    roundsStarted: new Counter({ name: 'tocsin_rounds_started_total', help: 'Rounds that were sent out.', registers }),
    roundsMissed: new Counter({
      name: 'tocsin_rounds_missed_total',
      help: 'Rounds that were due and never sent out, because the service or a dependency was unavailable.',
      registers,
    }),
    results: new Counter({
      name: 'tocsin_check_results_total',
      help: 'Results of checks that were recorded, by region and outcome.',
      labelNames: ['region', 'outcome'],
      registers,
    }),
    regionServed: new Gauge({
      name: 'tocsin_region_served',
      help: '1 while a checker of the region takes jobs, else 0.',
      labelNames: ['region'],
      registers,
    }),
    checkLag: new Histogram({
      name: 'tocsin_check_lag_seconds',
      help: 'Time between the moment a round was due and the moment a region began to check.',
      labelNames: ['region'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
      registers,
    }),
    resultDelay: new Histogram({
      name: 'tocsin_result_delay_seconds',
      help: 'Time between the end of a check, by the clock of its checker, and the moment its result was recorded.',
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60],
      registers,
    }),
  };
}

export type Meters = ReturnType<typeof createMeters>;
