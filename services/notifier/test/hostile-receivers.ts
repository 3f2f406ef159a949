import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { expect } from 'vitest';
import { rateOf } from '../src/domain/rates.ts';
import { DEFAULT_RETRY_BASE_MS } from '../src/domain/settle.ts';
import { channelFixture } from './channel-fixture.ts';
import { providers } from './providers.ts';
import type { Answer } from './receiver.ts';
import { aMonitor } from './start-notifier.ts';

const DOWN_AT = '2026-01-01T10:00:00Z';
const ALERT_EVERY_MS = 100;
/** Number of requests that a provider with a rate limit accepts before it responds with one 429. */
const ACCEPTED = 3;
/** Number of intervals between requests over which a rate is measured. */
const SPAN = 5;
/** Maximum milliseconds between the claim of a delivery and the arrival of its request on a busy machine. */
const TOLERANCE_MS = 500;
/** Milliseconds after a 429 response during which requests that were sent before the response may still arrive. */
const IN_FLIGHT_MS = 1_500;

/** Responses of webhook receivers until they recover, by channel name. */
const HOSTILE: Readonly<Record<string, (response: ServerResponse) => void>> = {
  hangs: () => undefined,
  'sends a slow body': (response) => void response.writeHead(200, { 'content-length': '1000' }).write('x'),
  'returns 429': (response) => void response.writeHead(429, { 'retry-after': '1' }).end(),
  'returns 503': (response) => void response.writeHead(503).end(),
  'resets the connection': (response) => void response.socket?.resetAndDestroy(),
  'sends 10 MB': (response) =>
    void response
      .on('error', () => undefined)
      .writeHead(200)
      .end(TEN_MB),
};
const TEN_MB = Buffer.alloc(10 * 1024 * 1024, 'x');

/** Documented responses of providers that limit the rate, with the milliseconds to wait. */
const LIMITED: Readonly<Record<string, Answer & { readonly waitMs?: number }>> = {
  slack: { status: 429, headers: { 'retry-after': '1' }, waitMs: 1_000 },
  discord: { status: 429, headers: { 'retry-after': '1' }, body: '{"retry_after":1}', waitMs: 1_000 },
  telegram: { status: 429, body: '{"ok":false,"parameters":{"retry_after":1}}', waitMs: 1_000 },
  teams: { status: 200, body: 'Webhook message delivery failed with error: returned HTTP error 429 with ContextId' },
  matrix: { status: 429, body: '{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":1000}', waitMs: 1_000 },
  zulip: { status: 429, headers: { 'retry-after': '1' }, body: '{"code":"RATE_LIMIT_HIT"}', waitMs: 1_000 },
  sns: { status: 400, body: '<Error><Code>Throttling</Code></Error>' },
};

/**
 * Channel types whose receivers do not report a rate limit. Apprise reports only that one of its services failed, not
 * that this service limits the rate.
 */
const WITHOUT_LIMIT = new Set(['apprise']);

/**
 * Takes many monitors of one organization down at once. The organization has channels of all types that send HTTP
 * requests. Their receivers are hostile or limit the rate. Checks that all alerts arrive after the receivers recover,
 * and that no rate limit is exceeded. Meanwhile sends alerts to another organization, and returns the delays of these
 * alerts.
 */
export async function hostileReceivers({
  monitors,
  outageMs,
  retryBaseMs,
  timeoutMs,
}: {
  monitors: number;
  outageMs: number;
  retryBaseMs: number;
  timeoutMs: number;
}) {
  await using stack = new AsyncDisposableStack();
  const hostile = stack.use(await startHostileReceiver(performance.now() + outageMs));
  const fixture = stack.use(await channelFixture({ retryBaseMs }));
  const { receiver } = fixture;
  const [acme, victim] = [v7(), v7()];
  const ids: string[] = [];
  for (const name of Object.keys(HOSTILE)) {
    const config = { url: `${hostile.url}/${encodeURIComponent(name)}` };
    ids.push((await fixture.createChannel(acme, config, 'webhook', name)).id);
  }
  // Until this receiver recovers, it responds with a 200 whose body shows that the message was not accepted.
  const nay = '/hooks/nay';
  const recoversAt = performance.now() + outageMs;
  receiver.answer(nay, () => ({ status: 200, body: performance.now() < recoversAt ? '<html>Log in</html>' : 'ok' }));
  ids.push((await fixture.createChannel(acme, { webhook_url: `${receiver.url}${nay}` }, 'mattermost')).id);

  const limits = [...providers.filter(({ type }) => !WITHOUT_LIMIT.has(type)), slack].map((provider) => {
    const { type, path, yes } = provider;
    const limited = LIMITED[type] ?? { status: 429 };
    const limit = {
      type,
      path,
      waitMs: limited.waitMs ?? (rateOf(type).pauseMs * retryBaseMs) / DEFAULT_RETRY_BASE_MS,
    };
    receiver.answer(path, (nth) => (nth === ACCEPTED ? limited : yes));
    return { ...limit, config: provider.config(receiver.url) };
  });
  for (const { type, config } of limits) ids.push((await fixture.createChannel(acme, config, type, type)).id);

  await fixture.publish(...Array.from({ length: monitors }, () => aMonitor(acme, ids).wentDown(DOWN_AT)));
  const victimTimes = alertTimes(fixture, victim, outageMs);
  const expected = ids.map((id) => ({ id, sent: monitors }));
  await eventually(
    async () => {
      const rows = await fixture.query<{ id: string; sent: number }>(
        `select channel_id as id, count(*) filter (where status = 'sent')::integer as sent from delivery
         where channel_id = any($1::uuid[]) group by channel_id`,
        [ids],
      );
      expect(rows.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))).toEqual(expected);
    },
    { timeoutMs, intervalMs: 500 },
  );

  for (const { type, path, waitMs } of limits) {
    const times = receiver.on(path).map(({ at }) => at);
    const { intervalMs } = rateOf(type);
    const spans = times.slice(SPAN).map((at, index) => at - (times[index] ?? 0));
    const shortest = `the shortest time of ${SPAN + 1} requests to ${type}`;
    expect(Math.min(...spans), shortest).toBeGreaterThanOrEqual(SPAN * intervalMs - TOLERANCE_MS);
    const limitedAt = times[ACCEPTED] ?? Number.NaN;
    const tooEarly = times.filter((at) => at > limitedAt + IN_FLIGHT_MS && at < limitedAt + waitMs - TOLERANCE_MS);
    expect(tooEarly, `requests to ${type} in the ${waitMs} ms after its 429`).toEqual([]);
  }
  const times = await victimTimes;
  const quantile = (q: number) => Math.round(times[Math.ceil(times.length * q) - 1] ?? Number.NaN);
  return { deliveries: ids.length * monitors, alerts: times.length, p50: quantile(0.5), p99: quantile(0.99) };
}

const slack = {
  type: 'slack',
  path: '/services/T0/B0/x',
  config: (url: string) => ({ webhook_url: `${url}/services/T0/B0/x` }),
  yes: { status: 200, body: 'ok' },
};

/**
 * Publishes outages of an organization. Returns how many milliseconds each alert took to reach its receiver, in
 * ascending order.
 */
async function alertTimes(
  fixture: Awaited<ReturnType<typeof channelFixture>>,
  organizationId: string,
  durationMs: number,
): Promise<number[]> {
  const { id, path } = await fixture.newChannel(organizationId);
  const startedAt: number[] = [];
  const end = performance.now() + durationMs;
  while (performance.now() < end) {
    startedAt.push(performance.now());
    await fixture.publish(aMonitor(organizationId, [id], String(startedAt.length - 1)).wentDown(DOWN_AT));
    await sleep(ALERT_EVERY_MS);
  }
  await eventually(() => expect(fixture.receiver.on(path)).toHaveLength(startedAt.length), { timeoutMs: 30_000 });
  return fixture.receiver
    .on(path)
    .map(({ at, body }) => at - (startedAt[Number(JSON.parse(body).monitor.name)] ?? Number.NaN))
    .sort((a, b) => a - b);
}

async function startHostileReceiver(recoversAt: number): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    const attack = HOSTILE[decodeURIComponent(request.url?.slice(1) ?? '')];
    request.resume().once('end', () => {
      if (attack && performance.now() < recoversAt) attack(response);
      else response.end('ok');
    });
  });
  const port = await listen(server, '127.0.0.1', 0);
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
