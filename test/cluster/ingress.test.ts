import { eventually } from '@tocsin/testing';
import { request } from 'undici';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createApi } from '../api.ts';
import { openShop } from '../journeys/shop.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import { startIngressController } from './ingress-controller.ts';
import { helm, waitUntilReplaced } from './installation.ts';
import { kubectl } from './kubernetes.ts';
import { type ClusterTarget, IMAGE, OWN_ADDRESS, startClusterTarget } from './target.ts';

const { apiKey, baseUrl } = inject('installed');
const outside = 'ingress-targets';
const controller = 'ingress';

/** Hosts that lead to the controller: one for the Ingress and one for the HTTPRoute. */
const ingressHost = `by-ingress.${controller}.svc.cluster.local`;
const routeHost = `by-route.${controller}.svc.cluster.local`;

/** Timeout for one round of checks. Rounds start every 30 seconds. */
const withinARound = { timeoutMs: 60_000 };

let receiver: Receiver;
let target: ClusterTarget;

beforeAll(async () => {
  receiver = await startReceiver(OWN_ADDRESS);
  target = await startClusterTarget(outside, { port: 8007 });
  await startIngressController(controller, ['by-ingress', 'by-route']);
  const values = {
    ingress: { enabled: true, className: 'traefik', hosts: [ingressHost] },
    httpRoute: { enabled: true, parentRefs: [{ name: 'public', namespace: controller }], hostnames: [routeHost] },
    'networkPolicy.gatewayFrom': [
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': controller } } },
    ],
  };
  await helm(['upgrade'], { values });
  for (const host of [ingressHost, routeHost]) {
    await eventually(async () => expect((await fetch(`http://${host}/openapi.yaml`)).status).toBe(200), withinARound);
  }
});
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await kubectl('delete', 'namespace', outside, controller, '--ignore-not-found');
  await kubectl('delete', 'clusterrole,clusterrolebinding,gatewayclass,ingressclass', 'traefik', '--ignore-not-found');
  await helm(['upgrade']);
  await waitUntilReplaced();
});

test.each([
  ['an Ingress', 'Ingress', ingressHost],
  ['a Gateway with an HTTPRoute', 'Route', routeHost],
])('through %s, an outage is shown on the page, updates open pages, and sends an alert', async (_name, kind, host) => {
  const url = `http://${host}`;
  const shop = await openShop({ api: createApi(url, apiKey), baseUrl: url }, target, receiver, kind);
  const events = () => receiver.alerts(`/${shop.slug}/hook`).map(({ body }) => body.event);
  await eventually(async () => expect(await shop.state()).toBe('up'), withinARound);
  await eventually(async () => expect(await shop.page()).toContain('Operational'));
  using stream = await openEvents(`${url}/s/${shop.slug}/events`);
  const changes = () => stream.text().split('event: page').length;
  const before = changes();

  await target.break();
  await eventually(() => expect(events()).toEqual(['monitor_down']), withinARound);
  await eventually(async () => expect(await shop.page()).toContain('Major outage'));
  await eventually(() => expect(changes()).toBeGreaterThan(before));
  await target.repair();
  await eventually(() => expect(events()).toEqual(['monitor_down', 'monitor_recovered']), withinARound);
  await eventually(async () => expect(await shop.page()).not.toContain('Major outage'));
});

test('the controller forwards only requests to hosts of the release, and a pod in an unrelated namespace cannot reach the gateway', async () => {
  const other = await request(`http://${ingressHost}/openapi.yaml`, { headers: { host: 'other.example' } });
  await other.body.dump();
  expect(other.statusCode).toBe(404);
  const script = `fetch('${baseUrl}/openapi.yaml', { signal: AbortSignal.timeout(3000) }).then((r) => console.log(r.status), (e) => console.log(e.name))`;
  const run = [
    'run',
    'stranger',
    '--namespace',
    outside,
    '--image',
    IMAGE,
    '--restart=Never',
    '--attach',
    '--rm',
    '--quiet',
  ];
  expect((await kubectl(...run, '--command', '--', 'node', '-e', script)).trim()).toBe('TimeoutError');
});

/** Opens the event stream of a page, and collects its text until it is disposed of. */
async function openEvents(url: string): Promise<Disposable & { text(): string }> {
  const ended = new AbortController();
  const response = await fetch(url, { signal: ended.signal });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  let text = '';
  void (async () => {
    for await (const part of response.body ?? []) text += Buffer.from(part).toString();
  })().catch(() => undefined);
  return { text: () => text, [Symbol.dispose]: () => ended.abort() };
}
