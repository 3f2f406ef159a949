import { eventually } from '@tocsin/testing';
import { expect } from 'vitest';
import type { Answer, Api } from '../api.ts';
import { separateProcesses, startNetwork } from '../network.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import { REGIONS } from './lives.ts';
import { type Life, resultsUnderFault } from './results-under-fault.ts';
import type { Disruption } from './shop.ts';

interface Transition {
  readonly state: string;
  readonly previous_state: string | null;
  readonly entered_at: string;
  readonly rule: string;
  readonly rounds: number;
  readonly since: string | null;
}

/**
 * Proves that faults in the delivery of results do not change the responses of the API. Returns the numbers of compared
 * items.
 */
export async function sameUnderFault({ kills, seed }: { kills: number; seed: number }) {
  await using receiver = await startReceiver();
  await using network = await startNetwork({ ...separateProcesses, TOCSIN_REGIONS: REGIONS.join(',') });
  const { processes } = network.installation;
  for (const [name, checker] of processes) if (name.startsWith('checker')) await checker.stop();
  const { id: channelId } = await network.api.post<{ id: string }>('/alert-channels', {
    name: 'Hook',
    type: 'webhook',
    config: { url: `${receiver.url}/hook` },
  });
  const { quiet, shaken, end, hits } = await resultsUnderFault(network, channelId, kills, seed);

  const expected = await published(network.api, quiet, end);
  expect(await published(network.api, shaken, end)).toEqual(expected);
  // Alerts may still be in delivery at this time.
  await eventually(() => expect(alertsOf(receiver, shaken)).toEqual(alertsOf(receiver, quiet)), { timeoutMs: 60_000 });
  const transitions = expected.reduce((sum, life) => sum + life.transitions.length, 0);
  return {
    hits,
    transitions,
    alerts: alertsOf(receiver, quiet).flat().length,
    runs: expected.reduce((sum, life) => sum + life.runs.length, 0),
  };
}

/** Returns the API's responses for some monitors up to a time. */
async function published(api: Api, lives: readonly Life[], end: Date) {
  const all = await api.get<(Disruption & { started_at: string })[]>('/disruptions');
  return Promise.all(
    lives.map(async ({ id, name }) => {
      const transitions = await api.get<Transition[]>(`/monitors/${id}/transitions`);
      return {
        // Votes are left out, because the regions that had responded by the time of the decision vary.
        transitions: transitions.map(({ state, previous_state, entered_at, rule, rounds, since }) => ({
          state,
          previous_state,
          entered_at,
          rule,
          rounds,
          since,
        })),
        disruptions: all
          .filter(({ title }) => title.startsWith(`${name} `))
          .map(({ status, impact, started_at, resolved_at, updates }) => ({
            status,
            impact,
            started_at,
            resolved_at,
            updates: updates.map((update) => update.status),
          })),
        uptime: await api.get(`/monitors/${id}/uptime?range=24h`),
        runs: (await allRuns(api, id)).filter(({ round_at }) => new Date(round_at) < end),
      };
    }),
  );
}

interface Run {
  readonly round_at: string;
  readonly results: readonly { readonly region: string; readonly outcome: string }[];
}

async function allRuns(api: Api, id: string): Promise<Pick<Run, 'round_at' | 'results'>[]> {
  const runs: Run[] = [];
  for (let path: string | undefined = `/api/v1/monitors/${id}/runs?limit=200`; path; ) {
    const { body, headers }: Answer = await api.send('GET', path);
    runs.push(...(body as { data: Run[] }).data);
    path = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]?.replace(/^https?:\/\/[^/]+/, '');
  }
  return runs.map(({ round_at, results }) => ({
    round_at,
    results: results.map(({ region, outcome }) => ({ region, outcome })),
  }));
}

/** Returns the alerts of each monitor in sorted order, because several alerts are delivered concurrently. */
function alertsOf(receiver: Receiver, lives: readonly Life[]): string[][] {
  const published = receiver.alerts('/hook').map(({ body }) => body as { event: string; monitor: { id: string } });
  return lives.map(({ id }) => published.flatMap(({ event, monitor }) => (monitor.id === id ? [event] : [])).sort());
}
