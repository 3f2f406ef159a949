import { loadConfig } from '@tocsin/checker/config';
import { createService } from '@tocsin/checker/service';
import { openSecrets } from '@tocsin/local/secrets';
import { createRuntime } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Network, startNetwork } from '../network.ts';
import { startTarget, type Target } from '../target.ts';

interface Run {
  readonly results: readonly { readonly region: string; readonly outcome: string }[];
}

interface Transition {
  readonly state: string;
  readonly error: string | null;
  readonly explanation: string;
  readonly votes: readonly { readonly region: string; readonly outcome: string; readonly error: string | null }[];
}

/**
 * Timeout that covers two delays: if the result of a region is missing, the votes of a round are counted only at its
 * deadline, and it takes up to a minute to detect the loss of a region.
 */
const timing = { timeoutMs: 90_000, intervalMs: 250 };

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());
let network: Network;
let target: Target;
let monitorId: string;

beforeAll(async () => {
  target = stack.use(await startTarget());
  network = stack.use(await startNetwork({ TOCSIN_REGIONS: 'east,north,west' }));
  const monitor = await network.api.post<{ id: string }>('/monitors', {
    name: 'Shop',
    check_type: 'http',
    config: { url: target.url },
    interval_seconds: 30,
    timeout_ms: 1_000,
    confirm_down_minutes: 0,
    confirm_up_minutes: 0,
  });
  monitorId = monitor.id;
});

const get = <Data>(what: string) => network.api.get<Data>(`/monitors/${monitorId}/${what}`);
const state = async () => (await get<{ state: string | null }>('state')).state;

/** Changes the monitor, which starts a round immediately. */
const nudge = () => network.api.patch(`/monitors/${monitorId}`, { timeout_ms: 1_000 });

/** Starts a round and waits until a round has these outcomes, by region. */
async function seen(expected: Record<string, string>): Promise<void> {
  await nudge();
  await eventually(async () => {
    const runs = await get<Run[]>('runs?limit=5');
    const outcomes = runs.map(({ results }) =>
      Object.fromEntries(results.map(({ region, outcome }) => [region, outcome])),
    );
    expect(outcomes).toContainEqual(expected);
  }, timing);
}

/**
 * Starts a checker of a region. With `lies`, the checker is not allowed to connect to private addresses such as the
 * target, so it reports failures.
 */
async function startChecker(region: string, { lies }: { readonly lies: boolean }): Promise<AsyncDisposable> {
  const { bootstrap, nats } = network.installation;
  const config = loadConfig({
    TOCSIN_RPC_PORT: '0',
    TOCSIN_NATS_URL: nats?.url ?? '',
    TOCSIN_IDENTITY_URL: `http://${bootstrap.grpc.identity}`,
    TOCSIN_MONITOR_URL: `http://${bootstrap.grpc.monitor}`,
    TOCSIN_SERVICE_SECRET: (await openSecrets(network.dataDir)).services.checker,
    TOCSIN_REGION: region,
    TOCSIN_ALLOW_PRIVATE_TARGETS: lies ? '' : '127.0.0.0/8',
  });
  return stack.use(await createService(config, createRuntime('checker', { logLevel: 'warn' })));
}

/** Stops the installation's checker of a region permanently. */
async function cutOff(region: string): Promise<void> {
  await network.installation.processes.get(`checker-${region}`)?.stop();
}

test('three regions vote, and if one region is lost, the other two decide', async () => {
  await seen({ east: 'pass', north: 'pass', west: 'pass' });
  expect(await state()).toBe('up');
  await eventually(async () => expect(await network.metric('monitor', 'tocsin_region_served')).toBe(3), timing);

  await cutOff('north');
  await seen({ east: 'pass', north: 'unknown', west: 'pass' });
  await eventually(async () => expect(await network.metric('monitor', 'tocsin_region_served')).toBe(2), timing);
  expect(await state()).toBe('up');
});

test('a monitor stays up if the check fails in one of three regions, and goes down if it fails in one of two', async () => {
  const north = await startChecker('north', { lies: false });
  await cutOff('west');
  await startChecker('west', { lies: true });
  await seen({ east: 'pass', north: 'pass', west: 'error' });
  expect(await state()).toBe('up');
  expect(await get<Transition[]>('transitions')).toHaveLength(1);

  await north[Symbol.asyncDispose]();
  await nudge();
  await eventually(async () => expect(await state()).toBe('down'), timing);
  const [down] = await get<Transition[]>('transitions');
  expect(down?.explanation).toContain('1 of 2 regions that responded failed (a tie counts as a failure)');
  expect(down?.votes.map(({ region, outcome }) => [region, outcome])).toEqual([
    ['east', 'pass'],
    ['west', 'error'],
  ]);
});
