import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { type Network, startNetwork } from '../network.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import { timeClaims } from './claims.ts';
import { timeDrain } from './drain.ts';

const CHANNELS = 100;
const BURST = 1_000;
const PACED = 500;
const PACED_PER_SECOND = 50;
/**
 * Number of monitors that are pinged during the measurement. Each gets at most PINGS_EACH pings, which is the limit per
 * token and minute.
 */
const PINGED = 2_000;
const PINGS_EACH = 6;
const PINGS_PER_SECOND = 1_000;
const CONNECTIONS = 100;
const WAITING = 100_000;
const DRAINED = 10_000;

/**
 * Measures the time from a failing heartbeat to the arrival of its alert: for a burst of 1,000 alerts to 100 channels,
 * and for 50 alerts per second with and without 1,000 pings per second. Also measures the delivery rate of a backlog,
 * and the time to reserve due deliveries for sending while 100,000 deliveries wait. Throws if an alert is lost.
 */
export async function benchNotify(): Promise<void> {
  const claims = await timeClaims(WAITING);
  await using network = await startNetwork();
  await using receiver = await startReceiver();
  const pool = new Pool(network.baseUrl, { connections: CONNECTIONS });
  const channels = await createAll(CHANNELS, async (n) => {
    const config = { url: `${receiver.url}/${n}` };
    return network.api.post<{ id: string }>('/alert-channels', { name: `Channel ${n}`, type: 'webhook', config });
  });
  const burst = await createMonitors(network, channels, BURST);
  const paced = await createMonitors(network, channels, PACED);
  const besidePings = await createMonitors(network, channels, PACED);
  const pinged = await createMonitors(network, [], PINGED);

  const startOfBurst = performance.now();
  const burstTimes = await failAll(pool, receiver, burst, undefined);
  const burstSeconds = (performance.now() - startOfBurst) / 1000;

  const pacedTimes = await failAll(pool, receiver, paced, 1000 / PACED_PER_SECOND);
  const stop = new AbortController();
  const pings = pingAll(pool, pinged, stop.signal);
  const besideTimes = await failAll(pool, receiver, besidePings, 1000 / PACED_PER_SECOND);
  stop.abort();
  const pingRate = await pings;
  await pool.close();
  const drain = await timeDrain(network, DRAINED);

  console.table({
    [`${BURST} at once, ${CHANNELS} channels`]: {
      ...quantiles(burstTimes),
      'alerts /s': (BURST / burstSeconds).toFixed(0),
    },
    [`${PACED_PER_SECOND} /s`]: quantiles(pacedTimes),
    [`${PACED_PER_SECOND} /s beside ${pingRate.toFixed(0)} pings /s`]: quantiles(besideTimes),
  });
  console.table({ [`${DRAINED} waiting, ${CHANNELS} channels`]: drain });
  console.table({ [`a claim, ${WAITING} waiting`]: claims });
}

interface FailingMonitor {
  readonly id: string;
  readonly path: string;
}

async function createMonitors(
  { api }: Network,
  channels: readonly { id: string }[],
  count: number,
): Promise<FailingMonitor[]> {
  return createAll(count, async (n) => {
    const channel = channels[n % channels.length];
    const monitor = {
      name: `Job ${n}`,
      check_type: 'heartbeat',
      interval_seconds: 86_400,
      confirm_down_minutes: 0,
      alert_channel_ids: channel ? [channel.id] : [],
    };
    const created = await api.post<{ id: string; heartbeat_token: string }>('/monitors', monitor);
    return { id: created.id, path: `/api/heartbeat/${created.heartbeat_token}` };
  });
}

async function createAll<Item>(count: number, create: (n: number) => Promise<Item>): Promise<Item[]> {
  const items: Item[] = [];
  while (items.length < count) {
    const batch = Math.min(25, count - items.length);
    const first = items.length;
    items.push(...(await Promise.all(Array.from({ length: batch }, (_, index) => create(first + index)))));
  }
  return items;
}

/** Fails every monitor and waits for its alert. Returns the milliseconds from each failure to its alert. */
async function failAll(
  pool: Pool,
  receiver: Receiver,
  monitors: readonly FailingMonitor[],
  everyMs: number | undefined,
): Promise<number[]> {
  const failedAt = new Map<string, number>();
  const fail = async ({ id, path }: FailingMonitor) => {
    failedAt.set(id, Date.now());
    await get(pool, `${path}/fail`);
  };
  if (everyMs === undefined) await Promise.all(monitors.map(fail));
  else {
    const start = performance.now();
    for (const [index, monitor] of monitors.entries()) {
      await delay(Math.max(0, start + index * everyMs - performance.now()));
      void fail(monitor);
    }
  }
  const deadline = performance.now() + 120_000;
  for (;;) {
    const received = new Map<string, number>();
    for (let channel = 0; channel < CHANNELS; channel += 1) {
      for (const { body, at } of receiver.alerts(`/${channel}`))
        received.set(String((body.monitor as { id: string }).id), at);
    }
    const times = monitors.flatMap(({ id }) => {
      const at = received.get(id);
      return at === undefined ? [] : [at - (failedAt.get(id) ?? 0)];
    });
    if (times.length === monitors.length) return times;
    if (performance.now() > deadline) throw new Error(`${monitors.length - times.length} alerts are missing`);
    await delay(50);
  }
}

/** Pings the monitors in turn at a steady rate until the signal aborts. Returns the achieved pings per second. */
async function pingAll(pool: Pool, monitors: readonly FailingMonitor[], signal: AbortSignal): Promise<number> {
  const start = performance.now();
  let sent = 0;
  const running = new Set<Promise<void>>();
  while (!signal.aborted) {
    const due = Math.min(((performance.now() - start) / 1000) * PINGS_PER_SECOND, monitors.length * PINGS_EACH);
    for (; sent < due; sent += 1) {
      const ping: Promise<void> = get(pool, monitors[sent % monitors.length]?.path ?? '').finally(() =>
        running.delete(ping),
      );
      running.add(ping);
    }
    await delay(5);
  }
  const rate = sent / ((performance.now() - start) / 1000);
  await Promise.all(running);
  return rate;
}

async function get(pool: Pool, path: string): Promise<void> {
  const { statusCode, body } = await pool.request({ method: 'GET', path });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`a ping was responded to with ${statusCode}: ${text}`);
}

function quantiles(times: readonly number[]) {
  const sorted = times.toSorted((a, b) => a - b);
  const quantile = (q: number) => `${(sorted[Math.floor(sorted.length * q)] ?? 0).toFixed(0)} ms`;
  return { p50: quantile(0.5), p99: quantile(0.99), max: `${sorted.at(-1)} ms` };
}
