import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { apiOf, helm, NAMESPACE, waitUntilReady } from './installation.ts';
import { kubectl, podsOf } from './kubernetes.ts';
import { command } from './node/command.ts';
import { programEnvironment } from './node/folders.ts';
import { installRegion, type RegionRelease, waitForRegion } from './region-release.ts';
import { type ClusterTarget, startClusterTarget } from './target.ts';

const installed = inject('installed');
const outside = 'region-targets';

/**
 * How the checkers of each region reach NATS: through a leaf node or directly. Each region is a separate Helm release.
 */
const regions = { eu: 'leaf node', us: 'leaf node', ap: 'direct' } as const;
type Region = keyof typeof regions;
const names = Object.keys(regions) as Region[];

const namespaceOf = (region: Region) => `${NAMESPACE}-${region}`;
const releaseOf = (name: Region): RegionRelease => {
  return { name, namespace: namespaceOf(name), centre: NAMESPACE, connection: regions[name] };
};

let target: ClusterTarget;

beforeAll(async () => {
  target = await startClusterTarget(outside, { port: 8004 });
  const regionsFrom = names.map((region) => ({
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespaceOf(region) } },
  }));
  const values = { regions: names, checkerRegion: '', 'networkPolicy.regionsFrom': regionsFrom };
  await helm(['upgrade'], { values });
  for (const region of names) await installRegion(releaseOf(region), { values: { baseUrl: installed.baseUrl } });
  for (const region of names) await waitForRegion(releaseOf(region));
});

afterAll(async () => {
  await reconnect();
  await kubectl('delete', 'namespace', ...names.map(namespaceOf), outside, '--ignore-not-found');
  await helm(['upgrade']);
  await waitUntilReady();
});

/**
 * Drops all packets between the pods of the given regions and the pods of the central installation, without closing
 * connections.
 */
async function cutOff(...cut: readonly Region[]): Promise<void> {
  const addressesOf = async (namespace: string) => {
    const addresses = (await podsOf(namespace, '')).map(({ status }) => status.podIP).filter(Boolean);
    return `{ ${addresses.join(', ')} }`;
  };
  const inside = await addressesOf(NAMESPACE);
  const rules: string[] = [];
  for (const region of cut) {
    const there = await addressesOf(namespaceOf(region));
    rules.push(`ip saddr ${there} ip daddr ${inside} drop`, `ip daddr ${there} ip saddr ${inside} drop`);
  }
  const chain = `chain forward { type filter hook forward priority -10; ${rules.join('; ')}; }`;
  await command('nft', ['--file', '-'], { env: programEnvironment, input: `table inet cut { ${chain}; }\n` });
}

async function reconnect(): Promise<void> {
  const input = 'table inet cut\ndelete table inet cut\n';
  await command('nft', ['--file', '-'], { env: programEnvironment, input });
}

const withinRounds = { timeoutMs: 150_000, intervalMs: 1_000 };

test('the state does not change if one of three regions is cut off, and a single connected region cannot change it', async () => {
  const api = apiOf(installed);
  const { id } = await api.post<{ id: string }>('/monitors', {
    name: 'Seen from three regions',
    check_type: 'http',
    config: { url: target.url },
    interval_seconds: 30,
    confirm_down_minutes: 0,
    confirm_up_minutes: 0,
  });
  const checks = async (): Promise<Record<Region, number>> => {
    const { by_location: locations } = await api.get<{ by_location: { location: string; checks: number }[] }>(
      `/monitors/${id}/response-times?range=1h`,
    );
    const countOf = (region: string) => locations.find(({ location }) => location === region)?.checks ?? 0;
    return { eu: countOf('eu'), us: countOf('us'), ap: countOf('ap') };
  };
  const state = async () => (await api.get<{ state: string }>(`/monitors/${id}/state`)).state;
  /** Waits until each of these regions has made `count` more checks. Returns the number of checks of every region. */
  const further = async (count: number, ...expected: readonly Region[]) => {
    const before = await checks();
    return eventually(async () => {
      const now = await checks();
      for (const region of expected) expect(now[region]).toBeGreaterThanOrEqual(before[region] + count);
      return now;
    }, withinRounds);
  };
  await further(1, ...names);
  await eventually(async () => expect(await state()).toBe('up'), withinRounds);

  await cutOff('eu');
  // A check may have ended before the cut, and its result may arrive after the cut.
  const { eu } = await further(1, 'us', 'ap');
  expect((await further(2, 'us', 'ap')).eu).toBe(eu);
  expect(await state()).toBe('up');
  await target.break();
  await eventually(async () => expect(await state()).toBe('down'), withinRounds);
  await target.repair();
  await eventually(async () => expect(await state()).toBe('up'), withinRounds);
  await reconnect();
  await further(1, ...names);
  expect(await state()).toBe('up');

  await cutOff('eu', 'us');
  await further(1, 'ap');
  await target.break();
  // During this time there are two rounds, and only one region has results for them.
  await sleep(70_000);
  expect(await state()).toBe('up');
  await reconnect();
  await eventually(async () => expect(await state()).toBe('down'), withinRounds);
  await target.repair();
  await eventually(async () => expect(await state()).toBe('up'), withinRounds);
  await api.delete(`/monitors/${id}`);
});
