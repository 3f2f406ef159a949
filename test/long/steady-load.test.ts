import { setTimeout as sleep } from 'node:timers/promises';
import { processNames } from '@tocsin/local/service-names';
import { eventually } from '@tocsin/testing';
import { expect, test } from 'vitest';
import { startNetwork } from '../network.ts';
import { startTarget } from '../target.ts';

const MONITORS = 500;
const INTERVAL_SECONDS = 30;
const MINUTES = 5;

test(`for ${MINUTES} minutes, ${MONITORS} monitors with an interval of ${INTERVAL_SECONDS} s start every round within a second of its due time`, async () => {
  await using target = await startTarget();
  await using network = await startNetwork();
  for (let index = 0; index < MONITORS; index += 1) {
    await network.api.post('/monitors', {
      name: `Monitor ${index}`,
      check_type: 'http',
      config: { url: target.url },
      interval_seconds: INTERVAL_SECONDS,
    });
  }
  const cpuBefore = await Promise.all(processNames.map((name) => network.metric(name, 'process_cpu_seconds_total')));
  const began = Date.now();
  await sleep(MINUTES * 60_000);
  const seconds = (Date.now() - began) / 1000;

  const figures: Record<string, string> = {};
  for (const [index, name] of processNames.entries()) {
    const cpu = ((await network.metric(name, 'process_cpu_seconds_total')) - (cpuBefore[index] ?? 0)) / seconds;
    const memory = (await network.metric(name, 'process_resident_memory_bytes')) / 2 ** 20;
    figures[name] = `${(cpu * 100).toFixed(1)} % of a core, ${memory.toFixed(0)} MiB`;
  }
  const started = await network.metric('monitor', 'tocsin_rounds_started_total');
  figures.rounds = `${started} started, ${await network.metric('monitor', 'tocsin_rounds_missed_total')} missed`;
  const lags = await network.metric('monitor', 'tocsin_schedule_lag_seconds_count');
  const lagSum = await network.metric('monitor', 'tocsin_schedule_lag_seconds_sum');
  const withinASecond = await bucket(
    network.installation.bootstrap.admin.monitor ?? '',
    'tocsin_schedule_lag_seconds',
    '1',
  );
  figures.lag = `${((lagSum / lags) * 1000).toFixed(0)} ms on average, ${lags - withinASecond} over 1 s`;
  console.table(figures);

  expect(await network.metric('monitor', 'tocsin_rounds_missed_total')).toBe(0);
  expect(lags - withinASecond).toBe(0);
  // Each monitor has one round immediately, and then one in each interval.
  expect(started).toBeGreaterThanOrEqual(MONITORS * ((MINUTES * 60) / INTERVAL_SECONDS));
  await eventually(async () =>
    expect(await network.metric('monitor', 'tocsin_check_results_total')).toBeGreaterThanOrEqual(started - MONITORS),
  );
  const monitors = await network.api.get<{ current_state: string }[]>('/monitors');
  expect(monitors.filter(({ current_state }) => current_state !== 'up')).toEqual([]);
});

/** Returns the number of a histogram's observations up to a bound. */
async function bucket(admin: string, metric: string, bound: string): Promise<number> {
  const text = await (await fetch(`http://${admin}/metrics`)).text();
  const line = text
    .split('\n')
    .find((candidate) => candidate.startsWith(`${metric}_bucket`) && candidate.includes(`le="${bound}"`));
  return Number(line?.split(' ').at(-1));
}
