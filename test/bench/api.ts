import type { Api } from '../api.ts';
import { startNetwork } from '../network.ts';
import { startBareServer } from './bare.ts';
import { type Figures, fire, type Shot } from './load.ts';

/**
 * Duration of the warm-up requests before each measurement. A new process runs its code slowly at first.
 */
const WARM_UP_SECONDS = 12;
const BARE_WARM_UP_SECONDS = 2;
const SECONDS = 6;
/** Number of measurements of a steady rate, whose tail differs from one to the next. */
const STEADY_RUNS = 5;
/** Number of monitors in one request that creates several. */
const BATCH = 200;

const NONE: Figures = { count: 0, perSecond: 0, p50: 0, p99: 0 };

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };

/** Measures the throughput and latency of the API's main calls, and of a bare server that sends the same bytes. */
export async function benchApi(): Promise<void> {
  await using network = await startNetwork({ TOCSIN_LIMIT_MONITORS: '1000000' });
  const { api, baseUrl, installation } = network;
  const newMonitor = (index: number) => ({
    name: `Monitor ${index}`,
    check_type: 'http',
    config: { url: 'http://127.0.0.1:9/' },
    enabled: false,
  });
  const ids: string[] = [];
  for (let index = 0; index < 100; index += 1) {
    ids.push((await api.post<{ id: string }>('/monitors', newMonitor(index))).id);
  }
  const headers = { authorization: `Bearer ${installation.bootstrap.api_key}`, 'content-type': 'application/json' };
  const get = (path: string): Shot => ({ method: 'GET', path: `/api/v1${path}`, headers });
  const shots: [string, Shot][] = [
    ['GET one monitor', get(`/monitors/${ids[0]}`)],
    ['GET one monitor, 500 a second', { ...get(`/monitors/${ids[0]}`), perSecond: 500 }],
    ['GET state', get(`/monitors/${ids[0]}/state`)],
    ['GET list of 100 monitors', get('/monitors?limit=100')],
    ['PUT structure of 500 components', await structureOf500(api, ids, headers)],
    // The last ones, because their events are handled long after their responses.
    [
      'POST monitor',
      { method: 'POST', path: '/api/v1/monitors', headers, body: (index) => JSON.stringify(newMonitor(index)) },
    ],
    [
      `POST ${BATCH} monitors at once`,
      {
        method: 'POST',
        path: '/api/v1/monitors/batch',
        headers,
        body: (index) =>
          JSON.stringify({ monitors: Array.from({ length: BATCH }, (_, at) => newMonitor(index * BATCH + at)) }),
        connections: 2,
      },
    ],
  ];

  const gatewaySeconds = () => network.metric('gateway', 'process_cpu_seconds_total');
  const table: Record<string, Record<string, string>> = {};
  for (const [name, shot] of shots) {
    const { status, body } = await api.send(shot.method, shot.path, shot.body?.(0));
    const answer = Buffer.from(JSON.stringify(body)).toString('base64');
    await using bare = await startBareServer({ status, headers: JSON_HEADERS, body: answer });
    await fire(baseUrl, shot, WARM_UP_SECONDS);
    await fire(bare.origin, shot, BARE_WARM_UP_SECONDS);
    const ours: Figures[] = [];
    const theirs: Figures[] = [];
    let coreSeconds = 0;
    // The runs alternate, so that what disturbs the machine for seconds disturbs both.
    for (let run = 0; run < (shot.perSecond ? STEADY_RUNS : 1); run += 1) {
      const before = await gatewaySeconds();
      ours.push(await fire(baseUrl, shot, SECONDS));
      coreSeconds += (await gatewaySeconds()) - before;
      theirs.push(await fire(bare.origin, shot, SECONDS));
    }
    table[name] = { ...row(ours, theirs), 'per gateway core /s': (countOf(ours) / coreSeconds).toFixed(0) };
  }
  console.table(table);
}

/**
 * Returns requests that replace the structure of a page: 20 groups of 25 components, each with a monitor. Only the
 * descriptions change.
 */
async function structureOf500(api: Api, monitors: readonly string[], headers: Record<string, string>): Promise<Shot> {
  interface Component {
    readonly monitors: readonly object[];
  }
  interface Group {
    readonly components: readonly Component[];
  }
  const { id } = await api.post<{ id: string }>('/status-pages', { name: 'Large', slug: 'large' });
  const path = `/status-pages/${id}/structure`;
  const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);
  const wanted = numbers(20).map((g) => ({
    type: 'group',
    name: `Group ${g}`,
    components: numbers(25).map((c) => ({
      type: 'component',
      name: `Component ${g}.${c}`,
      monitors: [{ monitor_id: monitors[(g * 25 + c) % 100] }],
    })),
  }));
  const { components: groups } = await api.put<{ components: Group[] }>(path, { components: wanted });
  const changed = (index: number) =>
    groups.map((group) => ({
      ...group,
      components: group.components.map((component) => ({ ...component, description: `Replaced ${index}` })),
    }));
  return {
    method: 'PUT',
    path: `/api/v1${path}`,
    headers,
    body: (index) => JSON.stringify({ components: changed(index) }),
    // There is only one connection, because replacements of the same page wait for each other.
    connections: 1,
  };
}

function row(ours: readonly Figures[], theirs: readonly Figures[]): Record<string, string> {
  const [{ perSecond, p50 } = NONE] = ours;
  const [bare = NONE] = theirs;
  return {
    'requests/s': perSecond.toFixed(0),
    'p50 ms': p50.toFixed(1),
    'p99 ms': p99sOf(ours),
    'bare p99 ms': p99sOf(theirs),
    'bare requests/s': bare.perSecond.toFixed(0),
    ratio: (perSecond / bare.perSecond).toFixed(3),
  };
}

function p99sOf(runs: readonly Figures[]): string {
  return runs.map(({ p99 }) => p99.toFixed(1)).join(', ');
}

function countOf(runs: readonly Figures[]): number {
  return runs.reduce((sum, { count }) => sum + count, 0);
}
