import type { Runtime } from '@tocsin/runtime';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { DeliveryMeters } from './app/ports.ts';

/** Creates the delivery metrics. */
export function createMeters({ metrics }: Runtime): DeliveryMeters {
  const registers = [metrics];
  const attempts = new Counter({
    name: 'tocsin_delivery_attempts_total',
    help: 'Attempts to deliver an alert, by channel type and outcome.',
    labelNames: ['type', 'outcome'],
    registers,
  });
  const delay = new Histogram({
    name: 'tocsin_delivery_delay_seconds',
    help: 'Time from the moment a delivery became due until its first attempt succeeded. Excludes receivers that are known to be slow.',
    labelNames: ['type'],
    buckets: [0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2.5, 5, 15, 60, 300],
    registers,
  });
  return {
    attempted: (type, outcome) => attempts.inc({ type, outcome }),
    delivered: (type, seconds) => delay.observe({ type }, seconds),
  };
}

/** Registers a gauge of pending deliveries. Each scrape calls `count`. */
export function watchPending({ metrics }: Runtime, count: () => Promise<number>): void {
  new Gauge({
    name: 'tocsin_deliveries_pending',
    help: 'Deliveries of all replicas that are waiting or under way, without those to subscribers of status pages.',
    registers: [metrics],
    async collect() {
      // While the database is unavailable, the gauge keeps the last known number.
      await count().then(
        (pending) => this.set(pending),
        () => undefined,
      );
    },
  });
}
