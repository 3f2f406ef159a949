import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startNetwork } from '../network.ts';
import { startBareServer } from './bare.ts';
import { type Figures, fire, type Shot } from './load.ts';

const WARM_UP_SECONDS = 4;
const SECONDS = 3;
const ROUNDS = 4;

/**
 * Measures views of a public page through the public port, and requests to a bare node:http server that sends the same
 * headers and bytes. The two measurements alternate, because the speed of a machine changes.
 */
export async function benchPage(): Promise<void> {
  await using network = await startNetwork();
  const { api, baseUrl } = network;
  const { id } = await api.post<{ id: string }>('/status-pages', { name: 'Acme', slug: 'acme', enabled: true });
  const components = Array.from({ length: 15 }, (_, index) => ({ type: 'component', name: `Component ${index}` }));
  await api.put(`/status-pages/${id}/structure`, { components });
  const url = new URL(`${baseUrl}/s/acme`);

  const table: Record<string, Record<string, string>> = {};
  const views: [string, Record<string, string>][] = [
    ['br', { 'accept-encoding': 'gzip, deflate, br' }],
    ['identity', {}],
  ];
  for (const [name, headers] of views) {
    const page = await view(url, headers);
    await using bare = await startBareServer({
      status: 200,
      headers: page.headers,
      body: page.body.toString('base64'),
    });
    const shot: Shot = { method: 'GET', path: url.pathname, headers };
    await fire(url.origin, shot, WARM_UP_SECONDS);
    await fire(bare.origin, shot, WARM_UP_SECONDS);
    const [ours, theirs]: [Turn[], Turn[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      const gatewayCpu = () => network.metric('gateway', 'process_cpu_seconds_total');
      ours.push(await turn(url.origin, shot, gatewayCpu));
      theirs.push(await turn(bare.origin, shot, () => bare.cpuSeconds()));
    }
    table[name] = row(page.body.length, ours, theirs);
  }
  console.table(table);
}

interface Turn extends Figures {
  readonly cpuSeconds: number;
}

async function turn(origin: string, shot: Shot, cpuSeconds: () => Promise<number>): Promise<Turn> {
  const before = await cpuSeconds();
  const figures = await fire(origin, shot, SECONDS);
  return { ...figures, cpuSeconds: (await cpuSeconds()) - before };
}

/** Returns a response without the headers that Node adds by itself. */
async function view(url: URL, headers: Record<string, string>) {
  const [response] = (await once(get(url, { headers }), 'response')) as [IncomingMessage];
  const { date: _, connection: __, 'keep-alive': ___, ...sent } = response.headers;
  return { headers: sent as Record<string, string>, body: await buffer(response) };
}

function row(bytes: number, ours: readonly Turn[], bare: readonly Turn[]): Record<string, string> {
  const sum = (turns: readonly Turn[], of: (turn: Turn) => number) => turns.reduce((total, one) => total + of(one), 0);
  const perSecond = (turns: readonly Turn[]) => sum(turns, (one) => one.perSecond) / turns.length;
  const perCore = (turns: readonly Turn[]) => sum(turns, (one) => one.count) / sum(turns, (one) => one.cpuSeconds);
  const p99 = (turns: readonly Turn[]) => Math.max(...turns.map((one) => one.p99)).toFixed(1);
  return {
    bytes: String(bytes),
    'views/s': perSecond(ours).toFixed(0),
    'bare /s': perSecond(bare).toFixed(0),
    ratio: (perSecond(ours) / perSecond(bare)).toFixed(3),
    'per core /s': perCore(ours).toFixed(0),
    'bare per core /s': perCore(bare).toFixed(0),
    'ratio per core': (perCore(ours) / perCore(bare)).toFixed(3),
    'worst p99 ms': p99(ours),
    'bare worst p99 ms': p99(bare),
  };
}
