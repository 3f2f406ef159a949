import { join } from 'node:path';
import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { chartsFolder } from '../charts/helm.ts';
import { apiOf, helm, NAMESPACE, RELEASE, runHelm, setFlags, targetValues, waitUntilReady } from './installation.ts';
import { apply, createRestrictedNamespace, kubectl, podsOf } from './kubernetes.ts';
import { command } from './node/command.ts';
import { programEnvironment } from './node/folders.ts';
import { type ClusterTarget, startClusterTarget } from './target.ts';

const installed = inject('installed');
const REGION = 'eu';
const namespace = 'tocsin-eu';
const outside = 'region-targets';

let target: ClusterTarget;

beforeAll(async () => {
  target = await startClusterTarget(outside, { port: 8004 });
  const regionsFrom = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } }];
  await helm(['upgrade'], { values: { regions: ['local', REGION], 'networkPolicy.regionsFrom': regionsFrom } });
  await waitUntilReady();
  await createRestrictedNamespace(namespace);
  await copySecret();
  const centre = (name: string) => `${RELEASE}-${name}.${NAMESPACE}.svc.cluster.local`;
  const values = {
    region: REGION,
    existingSecret: 'tocsin-region',
    baseUrl: installed.baseUrl,
    identityUrl: `http://${centre('identity')}:7101`,
    monitorUrl: `http://${centre('monitor')}:7102`,
    ...targetValues,
  };
  const chart = join(chartsFolder, 'tocsin-region');
  await runHelm(['install', REGION, chart, '--namespace', namespace, ...setFlags(values)]);
  const deployment = `deployment/${REGION}-tocsin-region-checker`;
  await kubectl('rollout', 'status', deployment, '--namespace', namespace, '--timeout=180s');
});

afterAll(async () => {
  await reconnect();
  await kubectl('delete', 'namespace', namespace, '--ignore-not-found');
  await kubectl('delete', 'namespace', outside, '--ignore-not-found');
  await helm(['upgrade']);
  await waitUntilReady();
});

/** Copies what checkers need from the secret of the centre. NATS has a longer name in another namespace. */
async function copySecret(): Promise<void> {
  const { data } = JSON.parse(await kubectl('get', 'secret', 'tocsin', '--namespace', NAMESPACE, '--output', 'json'));
  const url = new URL(Buffer.from(data['nats-url-checker'], 'base64').toString());
  url.hostname = `tocsin-nats.${NAMESPACE}.svc.cluster.local`;
  await apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'tocsin-region', namespace },
    stringData: { 'nats-url-checker': url.href },
    data: { 'service-secret-checker': data['service-secret-checker'] },
  });
}

/** Drops all packets between the checkers of the region and the pods of the centre. Connections are not closed. */
async function cutOff(): Promise<void> {
  const [checker] = await podsOf(namespace, 'app.kubernetes.io/component=checker');
  const centre = (await podsOf(NAMESPACE, '')).map(({ status }) => status.podIP).filter(Boolean);
  const between = [`ip saddr ${checker?.status.podIP} ip daddr`, `ip daddr ${checker?.status.podIP} ip saddr`];
  const rules = between.map((side) => `${side} { ${centre.join(', ')} } drop`).join('; ');
  const table = `table inet cut { chain forward { type filter hook forward priority -10; ${rules}; }; }`;
  await command('nft', ['--file', '-'], { env: programEnvironment, input: `${table}\n` });
}

async function reconnect(): Promise<void> {
  const input = 'table inet cut\ndelete table inet cut\n';
  await command('nft', ['--file', '-'], { env: programEnvironment, input });
}

test('a region in another namespace checks, may be cut off without a change of state, and checks again', async () => {
  const api = apiOf(installed);
  const { id } = await api.post<{ id: string }>('/monitors', {
    name: 'Seen from two regions',
    check_type: 'http',
    config: { url: target.url },
    interval_seconds: 30,
    confirm_down_minutes: 0,
    confirm_up_minutes: 0,
  });
  const checks = async (): Promise<Record<string, number>> => {
    const { by_location: locations } = await api.get<{ by_location: { location: string; checks: number }[] }>(
      `/monitors/${id}/response-times?range=1h`,
    );
    return Object.fromEntries(locations.map(({ location, checks: count }) => [location, count]));
  };
  const state = async () => (await api.get<{ state: string }>(`/monitors/${id}/state`)).state;
  const withinRounds = { timeoutMs: 120_000, intervalMs: 1_000 };
  await eventually(async () => {
    const { local = 0, eu = 0 } = await checks();
    expect(local).toBeGreaterThan(0);
    expect(eu).toBeGreaterThan(0);
  }, withinRounds);
  expect(await state()).toBe('up');

  await cutOff();
  // A check may have ended before the cut, with its result still on the way.
  const { local: localBefore = 0 } = await checks();
  await eventually(
    async () => expect((await checks()).local ?? 0).toBeGreaterThanOrEqual(localBefore + 1),
    withinRounds,
  );
  const { eu: euBefore = 0, local = 0 } = await checks();
  await eventually(async () => expect((await checks()).local ?? 0).toBeGreaterThanOrEqual(local + 2), withinRounds);
  expect((await checks()).eu).toBe(euBefore);
  expect(await state()).toBe('up');

  await target.break();
  await eventually(async () => expect(await state()).toBe('down'), withinRounds);
  await target.repair();
  await eventually(async () => expect(await state()).toBe('up'), withinRounds);

  await reconnect();
  await eventually(async () => expect((await checks()).eu ?? 0).toBeGreaterThan(euBefore), withinRounds);
  expect(await state()).toBe('up');
  await api.delete(`/monitors/${id}`);
});
