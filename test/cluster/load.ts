import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@tocsin/testing';
import type { Api } from '../api.ts';
import type { Receiver } from '../receiver.ts';
import { apiOf, type Installed } from './installation.ts';
import { checksBetween } from './lost-checks.ts';
import { NODE_ADDRESS } from './node/configuration.ts';
import { Requester, repeat } from './requests.ts';

const INTERVAL_SECONDS = 30;
const MONITORS = 20;

/** Milliseconds between two requests. */
const REQUEST_EVERY_MS = 50;

/** Milliseconds between two new monitors with a broken target. */
const OUTAGE_EVERY_MS = 10_000;

/**
 * Response time of a slow target, in milliseconds. It exceeds the 20 s in which all programs except the checker must
 * exit after SIGTERM.
 */
const SLOW_MS = 25_000;

/** A port of the node that refuses connections. */
const BROKEN_URL = `http://${NODE_ADDRESS}:9/`;

/** What happened during an interference, such as an upgrade or the kill of a program, while a load was running. */
export interface Interference {
  readonly requests: number;
  /** Requests that failed, with the time and the reason. */
  readonly failures: readonly string[];
  /** Number of check results during the interference. */
  readonly results: number;
  /** Checks that were due during the interference and have no result, with their times. */
  readonly lostChecks: readonly string[];
  /** Number of outages that began during the interference. */
  readonly outages: number;
  /** Monitors whose outage did not cause exactly one alert, each with the number of its alerts. */
  readonly wrongAlerts: readonly string[];
  /** Alerts for targets that work all the time. */
  readonly falseAlarms: readonly unknown[];
}

/** Expected result of an interference that has no visible effect. */
export const UNNOTICED = { failures: [], lostChecks: [], wrongAlerts: [], falseAlarms: [] };

export interface LoadOptions {
  /** A target that works all the time. */
  readonly target: { readonly url: string };
  readonly receiver: Receiver;
  /** Maximum number of times that a request is repeated if a program was killed while handling it. Defaults to 0. */
  readonly retries?: number;
  /** Whether one of the targets takes SLOW_MS to respond. Defaults to false. */
  readonly hasSlowTarget?: boolean;
}

/**
 * Reads and changes resources, requests a status page, checks targets that work, and starts outages, while `interfere`
 * runs. Returns what went wrong, and prints a summary.
 */
export async function underLoad(
  name: string,
  installed: Installed,
  { target, receiver, retries = 0, hasSlowTarget = false }: LoadOptions,
  interfere: () => Promise<void>,
): Promise<Interference> {
  const api = apiOf(installed);
  const slug = `load-${Date.now()}`;
  const channel = await api.post<{ id: string }>('/alert-channels', {
    name: slug,
    type: 'webhook',
    config: { url: `${receiver.url}/${slug}` },
  });
  const settings = {
    check_type: 'http',
    interval_seconds: INTERVAL_SECONDS,
    confirm_down_minutes: 0,
    alert_channel_ids: [channel.id],
  };
  const monitors: string[] = [];
  for (let number = 1; number <= MONITORS; number += 1) {
    const isSlow = hasSlowTarget && number === MONITORS;
    const url = isSlow ? `${target.url}?wait=${SLOW_MS}` : target.url;
    const body = { ...settings, name: `${slug} ${number}`, timeout_ms: isSlow ? 2 * SLOW_MS : 10_000, config: { url } };
    monitors.push((await api.post<{ id: string }>('/monitors', body)).id);
  }
  const page = await api.post<{ id: string }>('/status-pages', { name: slug, slug, enabled: true });
  const linked = [{ monitor_id: monitors[0], down_status: 'major_outage' }];
  await api.put(`/status-pages/${page.id}/structure`, {
    components: [{ type: 'component', name: 'Shop', monitors: linked }],
  });
  await eventually(
    async () => {
      await expectAllUp(api, await api.get<MonitorState[]>(`/monitors?q=${slug}`), monitors.length);
    },
    { timeoutMs: 90_000, intervalMs: 1_000 },
  );

  const from = new Date();
  const requester = new Requester(installed, retries);
  const reads = [
    `/api/v1/monitors/${monitors[0]}`,
    `/api/v1/status-pages/${page.id}`,
    '/api/v1/disruptions?limit=1',
    `/s/${slug}`,
  ];
  const ordinary = repeat(REQUEST_EVERY_MS, async (index) => {
    const path = reads[index % (reads.length + 1)];
    if (path !== undefined) await requester.send({ method: 'GET', path });
    else {
      const body = { name: `${slug} 1 (${index})` };
      await requester.send({ method: 'PATCH', path: `/api/v1/monitors/${monitors[0]}`, body });
    }
  });
  const outages: string[] = [];
  const breaking = repeat(OUTAGE_EVERY_MS, async (index) => {
    const body = { ...settings, name: `${slug} outage ${index}`, config: { url: BROKEN_URL } };
    const created = await requester.send({ method: 'POST', path: '/api/v1/monitors', body });
    if (created) outages.push((created as { id: string }).id);
  });
  try {
    await interfere();
  } finally {
    await Promise.all([ordinary.stop(), breaking.stop()]);
  }
  const to = new Date();
  // Wait until the last checks that were due have ended.
  await sleep(15_000 + (hasSlowTarget ? SLOW_MS : 0));
  const alertsOf = (...ids: readonly string[]) =>
    receiver.alerts(`/${slug}`).filter(({ body }) => ids.includes((body.monitor as { id: string }).id));
  const numberOf = (id: string) => alertsOf(id).length;
  await eventually(
    () => {
      if (outages.some((id) => numberOf(id) === 0)) throw new Error('an alert is missing');
    },
    { timeoutMs: 60_000, intervalMs: 500 },
  ).catch(() => undefined);
  const checks = { monitors, intervalSeconds: INTERVAL_SECONDS };
  const { results, lost } = await checksBetween(installed.namespace, checks, from, to);
  const interference = {
    requests: requester.count,
    failures: requester.failures,
    results,
    lostChecks: lost,
    outages: outages.length,
    wrongAlerts: outages.filter((id) => numberOf(id) !== 1).map((id) => `${id}: ${numberOf(id)} alerts`),
    falseAlarms: alertsOf(...monitors).map(({ body }) => body),
  };
  process.stdout.write(`${name}: ${describe(interference, (to.getTime() - from.getTime()) / 1000)}\n`);
  for (const id of [...monitors, ...outages]) await api.delete(`/monitors/${id}`);
  return interference;
}

interface MonitorState {
  readonly id: string;
  readonly name: string;
  readonly current_state: string;
}

/** @throws Error with the last transition of each monitor that is not up. */
async function expectAllUp(api: Api, monitors: readonly MonitorState[], count: number): Promise<void> {
  const others = monitors.filter(({ current_state: state }) => state !== 'up');
  if (others.length === 0 && monitors.length === count) return;
  const states = others.map(async ({ id, name, current_state: state }) => {
    const [last] = await api.get<{ explanation: string }[]>(`/monitors/${id}/transitions?limit=1`);
    return `${name} is ${state} (${last?.explanation ?? 'no transition'})`;
  });
  const list = (await Promise.all(states)).join('; ');
  throw new Error(`${monitors.length - others.length} of ${count} monitors are up; ${list}`);
}

function describe(result: Interference, seconds: number): string {
  return [
    `${result.failures.length} of ${result.requests} requests failed in ${seconds.toFixed(0)} s`,
    `${result.lostChecks.length} checks lost, ${result.results} made`,
    `${result.wrongAlerts.length} of ${result.outages} outages without exactly one alert`,
    `${result.falseAlarms.length} false alarms`,
  ].join('; ');
}
