import type pg from 'pg';
import type { Network } from '../network.ts';
import { cpuSecondsOf, descendantsOf, memoryMibOf } from './process-tree.ts';

/** Parts of an installation whose processor time is measured separately. */
export const PARTS = ['monitor', 'postgres', 'nats', 'checker', 'others'] as const;
type Part = (typeof PARTS)[number];

const HISTOGRAMS = ['tocsin_schedule_lag_seconds', 'tocsin_check_lag_seconds', 'tocsin_result_delay_seconds'] as const;
type HistogramName = (typeof HISTOGRAMS)[number];

/** Cumulative counts, by the upper bound of their bucket in seconds. */
type Histogram = ReadonlyMap<number, number>;

/** Counters and processor times at one moment. */
interface Sample {
  readonly at: number;
  readonly started: number;
  readonly results: number;
  readonly walBytes: number;
  readonly cpu: Readonly<Record<Part, number>>;
  readonly histograms: Readonly<Record<HistogramName, Histogram>>;
}

/** What happened between two samples. */
export interface Window {
  readonly startedPerSecond: number;
  readonly resultsPerSecond: number;
  readonly walBytesPerResult: number;
  /** Milliseconds of processor time for each result. */
  readonly cpuMs: Readonly<Record<Part, number>>;
  /** Returns the upper bound of the bucket with a quantile, in milliseconds. */
  quantileMs(name: HistogramName, q: number): number;
}

export interface Measured {
  readonly network: Network;
  readonly checkerPid: number;
  readonly client: pg.Client;
}

/** Returns the ids of the processes of each part. */
export function pidsOf({ network, checkerPid }: Omit<Measured, 'client'>): Record<Part, number[]> {
  const pidOf = (name: string) => network.pidOf(name) ?? 0;
  const postmaster = pidOf('postgres');
  const parts = {
    monitor: [pidOf('monitor')],
    postgres: [postmaster, ...descendantsOf(postmaster)],
    nats: [pidOf('nats')],
    checker: [checkerPid],
  };
  const known = new Set(Object.values(parts).flat());
  return { ...parts, others: descendantsOf(process.pid).filter((pid) => !known.has(pid)) };
}

/** Returns the memory of each process, in MiB. */
export function memoryOf(measured: Omit<Measured, 'client'>): Record<string, string> {
  const { monitor, postgres, nats, checker } = pidsOf(measured);
  const services = ['gateway', 'identity', 'disruption', 'statuspage', 'notifier'] as const;
  const others = services.map((name) => [name, [measured.network.pidOf(name) ?? 0]] as const);
  return Object.fromEntries(
    [...Object.entries({ monitor, postgres, nats, checker }), ...others].map(([name, pids]) => [
      name,
      memoryMibOf(pids).toFixed(0),
    ]),
  );
}

export async function takeSample(measured: Measured): Promise<Sample> {
  const { network, client } = measured;
  const pids = pidsOf(measured);
  const { rows } = await client.query<{ bytes: string }>(`select pg_current_wal_lsn() - '0/0' as bytes`);
  const response = await fetch(`http://${network.installation.bootstrap.admin.monitor}/metrics`);
  const lines = (await response.text()).split('\n');
  return {
    at: performance.now(),
    started: sumOf(lines, 'tocsin_rounds_started_total'),
    results: sumOf(lines, 'tocsin_check_results_total'),
    walBytes: Number(rows[0]?.bytes),
    cpu: mapValues(pids, cpuSecondsOf),
    histograms: Object.fromEntries(HISTOGRAMS.map((name) => [name, readHistogram(lines, name)])) as Record<
      HistogramName,
      Histogram
    >,
  };
}

export function between(before: Sample, after: Sample): Window {
  const seconds = (after.at - before.at) / 1000;
  const results = after.results - before.results;
  return {
    startedPerSecond: (after.started - before.started) / seconds,
    resultsPerSecond: results / seconds,
    walBytesPerResult: (after.walBytes - before.walBytes) / results,
    cpuMs: mapValues(after.cpu, (cpu, part) => ((cpu - before.cpu[part]) * 1000) / results),
    quantileMs(name, q) {
      const counts = [...after.histograms[name]].map(
        ([bound, count]) => [bound, count - (before.histograms[name].get(bound) ?? 0)] as const,
      );
      const total = counts.at(-1)?.[1] ?? 0;
      const [bound] = counts.find(([, count]) => count >= total * q) ?? [Number.NaN];
      return bound * 1000;
    },
  };
}

function readHistogram(lines: readonly string[], name: string): Histogram {
  const counts = new Map<number, number>();
  for (const line of lines) {
    const bound = line.startsWith(`${name}_bucket{`) ? /le="([^"]+)"/.exec(line)?.[1] : undefined;
    if (bound === undefined) continue;
    const upTo = bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound);
    counts.set(upTo, (counts.get(upTo) ?? 0) + Number(line.split(' ').at(-1)));
  }
  return counts;
}

function sumOf(lines: readonly string[], name: string): number {
  const values = lines.filter((line) => line.startsWith(name)).map((line) => Number(line.split(' ').at(-1)));
  return values.reduce((sum, value) => sum + value, 0);
}

function mapValues<Key extends string, From, To>(
  record: Readonly<Record<Key, From>>,
  map: (value: From, key: Key) => To,
): Record<Key, To> {
  const entries = Object.entries(record) as [Key, From][];
  return Object.fromEntries(entries.map(([key, value]) => [key, map(value, key)])) as Record<Key, To>;
}
