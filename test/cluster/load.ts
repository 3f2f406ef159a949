import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@tocsin/testing';
import pg from 'pg';
import { expect } from 'vitest';
import type { Receiver } from '../receiver.ts';
import { apiOf, type Installed, NAMESPACE } from './installation.ts';

const INTERVAL_SECONDS = 30;
const MONITORS = 20;

/** Milliseconds between two requests of the reader. */
const REQUEST_EVERY_MS = 50;

/** Milliseconds before a request without a response is repeated. */
const RETRY_AFTER_MS = 100;

export interface Interference {
  readonly requests: number;
  /** Requests that failed, with the time and the reason. */
  readonly failures: readonly string[];
  /** Number of results of checks in the meantime. */
  readonly results: number;
  /** Checks that were due in the meantime and have no result, with their times. */
  readonly lostChecks: readonly string[];
  /** Events that the receiver of alerts got. Every target works all the time, so that each is a false alarm. */
  readonly alerts: readonly unknown[];
}

/**
 * Reads the API and a status page, and checks targets that work, while `interfere` runs. Returns what went wrong.
 * @param retries Number of times that a request without a response is repeated, as an Ingress does.
 */
export async function underLoad(
  installed: Installed,
  { target, receiver, retries = 0 }: { target: { readonly url: string }; receiver: Receiver; retries?: number },
  interfere: () => Promise<void>,
): Promise<Interference> {
  const api = apiOf(installed);
  const slug = `load-${Date.now()}`;
  const channel = await api.post<{ id: string }>('/alert-channels', {
    name: slug,
    type: 'webhook',
    config: { url: `${receiver.url}/${slug}` },
  });
  const monitors: string[] = [];
  for (let number = 1; number <= MONITORS; number += 1) {
    const { id } = await api.post<{ id: string }>('/monitors', {
      name: `${slug} ${number}`,
      check_type: 'http',
      config: { url: target.url },
      interval_seconds: INTERVAL_SECONDS,
      confirm_down_minutes: 0,
      alert_channel_ids: [channel.id],
    });
    monitors.push(id);
  }
  const page = await api.post<{ id: string }>('/status-pages', { name: slug, slug, enabled: true });
  const linked = [{ monitor_id: monitors[0], down_status: 'major_outage' }];
  await api.put(`/status-pages/${page.id}/structure`, {
    components: [{ type: 'component', name: 'Shop', monitors: linked }],
  });
  await eventually(
    async () => {
      const states = await api.get<{ current_state: string }[]>(`/monitors?q=${slug}`);
      expect(states.map(({ current_state: state }) => state)).toEqual(monitors.map(() => 'up'));
    },
    { timeoutMs: 90_000, intervalMs: 1_000 },
  );
  const from = new Date();
  const reader = startReader(
    [`/api/v1/monitors/${monitors[0]}`, `/api/v1/status-pages/${page.id}`, '/api/v1/disruptions?limit=1', `/s/${slug}`],
    installed,
    retries,
  );
  try {
    await interfere();
  } finally {
    await reader.stop();
  }
  const to = new Date();
  // The last checks that were due have the time to end.
  await sleep(15_000);
  const { results, lost } = await checksBetween(monitors, from, to);
  for (const id of monitors) await api.delete(`/monitors/${id}`);
  return {
    requests: reader.requests,
    failures: reader.failures,
    results,
    lostChecks: lost,
    alerts: receiver.alerts(`/${slug}`).map(({ body }) => body),
  };
}

interface Reader {
  readonly requests: number;
  readonly failures: readonly string[];
  stop(): Promise<void>;
}

function startReader(paths: readonly string[], { baseUrl, apiKey }: Installed, retries: number): Reader {
  const failures: string[] = [];
  const pending = new Set<Promise<void>>();
  let requests = 0;
  let isStopped = false;
  async function request(path: string): Promise<void> {
    const began = new Date().toISOString();
    for (let attempt = 0; ; attempt += 1) {
      try {
        const headers = { authorization: `Bearer ${apiKey}` };
        const response = await fetch(`${baseUrl}${path}`, { headers, signal: AbortSignal.timeout(15_000) });
        const text = await response.text();
        if (response.status !== 200) failures.push(`${began} ${path}: ${response.status} ${text.slice(0, 200)}`);
        return;
      } catch (error) {
        if (attempt < retries) {
          await sleep(RETRY_AFTER_MS);
          continue;
        }
        const cause = error instanceof Error ? `${error.message}: ${error.cause}` : String(error);
        failures.push(`${began} ${path}: ${cause}`);
        return;
      }
    }
  }
  const running = (async () => {
    while (!isStopped) {
      const path = paths[requests % paths.length] ?? '';
      requests += 1;
      const promise = request(path).finally(() => pending.delete(promise));
      pending.add(promise);
      await sleep(REQUEST_EVERY_MS);
    }
    await Promise.all(pending);
  })();
  return {
    get requests() {
      return requests;
    },
    failures,
    stop() {
      isStopped = true;
      return running;
    },
  };
}

/** Returns the results of monitors in a period, and each round between two of them that is missing. */
async function checksBetween(monitors: readonly string[], from: Date, to: Date) {
  const client = new pg.Client(`postgres://tocsin:trial@tocsin-postgres.${NAMESPACE}.svc.cluster.local:5432/tocsin`);
  await client.connect();
  try {
    const { rows } = await client.query(
      `select monitor_id, array_agg(distinct round_at order by round_at) as rounds
         from monitor.check_result where monitor_id = any($1) and round_at > $2 and round_at <= $3 group by monitor_id`,
      [monitors, new Date(from.getTime() - INTERVAL_SECONDS * 1000), to],
    );
    const rounds = new Map<string, Date[]>(rows.map((row) => [row.monitor_id, row.rounds]));
    const lost = monitors.flatMap((id) => {
      // The first round starts when a monitor is created, and the others at fixed intervals of their own.
      const times = (rounds.get(id) ?? []).map((time) => time.getTime());
      if (times.length === 0) return [`${id}: all checks`];
      const missing: string[] = [];
      for (const [index, time] of times.entries()) {
        const end = times[index + 1] ?? to.getTime();
        for (let due = time + INTERVAL_SECONDS * 1000; due < end; due += INTERVAL_SECONDS * 1000) {
          missing.push(`${id}: ${new Date(due).toISOString()}`);
        }
      }
      return missing;
    });
    return { lost, results: [...rounds.values()].reduce((sum, times) => sum + times.length, 0) };
  } finally {
    await client.end();
  }
}
