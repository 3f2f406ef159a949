import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '@tocsin/runtime';
import { eventually, seededRandom } from '@tocsin/testing';
import pg from 'pg';
import { expect } from 'vitest';
import { type Network, separateProcesses, startNetwork } from '../network.ts';

const CHANNELS = 20;
const MONITORS = 25;
const CHANNELS_OF_MONITOR = 10;
const EVENTS = ['monitor_down', 'monitor_recovered', 'monitor_down', 'monitor_recovered'];
const ALERTS = MONITORS * CHANNELS_OF_MONITOR * EVENTS.length;

/** Milliseconds after which the receivers respond. The notifier may be killed during that time. */
const RESPONSE_MS = 20;
const KILL_WITHIN_MS = 150;
/**
 * Maximum milliseconds between the arrival of a request and the commit of its outcome, unless the notifier is killed.
 */
const RECORDED_WITHIN_MS = 5_000;
/** Maximum milliseconds between the kill of a notifier and the arrival of a request that it had already sent. */
const IN_FLIGHT_MS = 1_000;
/**
 * Timeout that is long enough for a retry, because deliveries of a killed notifier are due again when their leases end
 * after 30 s.
 */
const timing = { timeoutMs: 120_000, intervalMs: 100 };

interface Arrival {
  readonly deliveryId: string;
  readonly monitorId: string;
  readonly channel: string;
  readonly event: string;
  readonly at: number;
}

/**
 * Kills the notifier while 1,000 alerts are sent to 20 receivers. Proves that no alert is lost and that the alerts of a
 * monitor arrive at each receiver in order. Also proves that an alert arrives twice only if the notifier was killed
 * before it had recorded the response. Returns the number of alerts that arrived twice.
 */
export async function alertsUnderKills({ kills, seed }: { kills: number; seed: string }) {
  await using stack = new AsyncDisposableStack();
  const receiver = stack.use(await startReceiver());
  const network = stack.use(await startNetwork(separateProcesses));
  const channels = await createChannels(network, receiver.url);
  const monitors = await createMonitors(network, channels);
  const random = seededRandom(seed);
  const killedAt: number[] = [];
  const pings = EVENTS.flatMap((event) => monitors.map((monitor) => ({ monitor, event })));

  for (const [index, { monitor, event }] of pings.entries()) {
    const known = receiver.arrivals.length;
    await ping(network, `${monitor.path}${event === 'monitor_down' ? '/fail' : ''}`);
    if (Math.floor(((index + 1) * kills) / pings.length) === killedAt.length) continue;
    await eventually(async () => expect(receiver.arrivals.length).toBeGreaterThan(known), timing);
    await sleep(random() * KILL_WITHIN_MS);
    network.kill('notifier');
    killedAt.push(Date.now());
  }
  const arrived = () => new Set(receiver.arrivals.map(({ deliveryId }) => deliveryId)).size;
  await eventually(async () => expect(arrived()).toBe(ALERTS), timing);
  await eventually(async () => expect(await unrecorded(network)).toBe(0), timing);

  const byRecipient = Map.groupBy(receiver.arrivals, ({ monitorId, channel }) => `${monitorId} ${channel}`);
  expect(byRecipient.size).toBe(MONITORS * CHANNELS_OF_MONITOR);
  for (const arrivals of byRecipient.values()) {
    // A repeated alert arrives directly after its first arrival, never after a later event.
    const ordered = arrivals.filter(({ deliveryId }, index) => deliveryId !== arrivals[index - 1]?.deliveryId);
    expect(ordered.map(({ event }) => event)).toEqual(EVENTS);
  }
  const repeated = [...byRecipient.values()].flatMap((arrivals) =>
    arrivals.filter(({ deliveryId }, index) => deliveryId === arrivals[index + 1]?.deliveryId),
  );
  for (const { at } of repeated) {
    const isExplained = killedAt.some((time) => time > at - IN_FLIGHT_MS && time < at + RECORDED_WITHIN_MS);
    expect(isExplained, `an alert that arrived at ${new Date(at).toISOString()} came again`).toBe(true);
  }
  return { kills: killedAt.length, alerts: ALERTS, lost: ALERTS - arrived(), duplicates: repeated.length };
}

async function createChannels({ api }: Network, url: string): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < CHANNELS; n += 1) {
    const channel = { name: `Channel ${n}`, type: 'webhook', config: { url: `${url}/${n}` } };
    ids.push((await api.post<{ id: string }>('/alert-channels', channel)).id);
  }
  return ids;
}

async function createMonitors({ api }: Network, channels: readonly string[]): Promise<{ path: string }[]> {
  const monitors: { path: string }[] = [];
  for (let n = 0; n < MONITORS; n += 1) {
    const { heartbeat_token: token } = await api.post<{ heartbeat_token: string }>('/monitors', {
      name: `Job ${n}`,
      check_type: 'heartbeat',
      interval_seconds: 86_400,
      confirm_down_minutes: 0,
      confirm_up_minutes: 0,
      alert_channel_ids: channels.filter((_, index) => index % 2 === n % 2),
    });
    monitors.push({ path: `/api/heartbeat/${token}` });
  }
  return monitors;
}

async function ping({ baseUrl }: Network, path: string): Promise<void> {
  const response = await fetch(`${baseUrl}${path}`);
  if (!response.ok) throw new Error(`a ping returned ${response.status}: ${await response.text()}`);
}

/**
 * Returns the number of deliveries with a wrong record. A correct record has the status `sent` and exactly one
 * successful attempt.
 */
async function unrecorded({ installation }: Network): Promise<number> {
  const database = new pg.Client({ connectionString: installation.postgres?.url });
  await database.connect();
  try {
    const { rows } = await database.query(
      `select count(*)::integer as count from notifier.delivery d where status <> 'sent' or 1 <> (
         select count(*) from notifier.delivery_attempt a where a.delivery_id = d.id and a.outcome = 'delivered')`,
    );
    return rows[0].count;
  } finally {
    await database.end();
  }
}

async function startReceiver(): Promise<AsyncDisposable & { readonly url: string; readonly arrivals: Arrival[] }> {
  const arrivals: Arrival[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    arrivals.push({
      deliveryId: String(request.headers['webhook-id']),
      monitorId: body.monitor.id,
      channel: request.url ?? '',
      event: body.event,
      at: Date.now(),
    });
    await sleep(RESPONSE_MS);
    response.end('ok');
  });
  const port = await listen(server, '127.0.0.1', 0);
  return {
    url: `http://127.0.0.1:${port}`,
    arrivals,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
