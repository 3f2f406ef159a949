import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openShop } from '../journeys/shop.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import {
  apiOf,
  COMPONENTS,
  type Installed,
  install,
  podsOfComponent,
  RELEASE,
  runHelm,
  runLocalAdmin,
} from './installation.ts';
import { kubectl } from './kubernetes.ts';
import { installRegion, waitForRegion } from './region-release.ts';
import { type ClusterTarget, IMAGE, OWN_ADDRESS, startClusterTarget } from './target.ts';

const namespace = 'tocsin-encrypted';
const outside = 'encrypted-targets';
const region = { name: 'eu', namespace: 'tocsin-encrypted-eu', centre: namespace, connection: 'direct' } as const;

/** A container that runs beside every program and never ends, like the sidecars of service meshes. */
const companion = {
  name: 'companion',
  image: IMAGE,
  command: ['node', '-e', 'setInterval(() => undefined, 60000)'],
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
};

/** Timeout for two rounds of checks. Rounds start every 30 seconds. */
const withinRounds = { timeoutMs: 90_000, intervalMs: 500 };

let receiver: Receiver;
let target: ClusterTarget;
let installed: Installed;
let folder: string;

beforeAll(async () => {
  receiver = await startReceiver(OWN_ADDRESS);
  target = await startClusterTarget(outside, { port: 8008 });
  folder = await mkdtemp(join(tmpdir(), 'tocsin-certificates-'));
  installed = await install({
    namespace,
    values: {
      'tls.existingSecret': 'tocsin-tls',
      'global.sidecars': [companion],
      regions: ['local', region.name],
      'networkPolicy.regionsFrom': [
        { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': region.namespace } } },
      ],
    },
    prepare: async () => {
      for (const name of COMPONENTS) await createCertificate(name, namespace);
    },
  });
});
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await kubectl('delete', 'namespace', namespace, outside, region.namespace, '--ignore-not-found');
  await rm(folder, { recursive: true, force: true });
});

/** Issues a certificate and puts it into a Secret of a namespace, as docs/operations/tls.md says. */
async function createCertificate(name: string, where: string, ...options: readonly string[]): Promise<void> {
  const service = `${RELEASE}-${name}`;
  const hosts = `${service},${service}.${namespace}.svc.cluster.local`;
  await runLocalAdmin('certificates', 'issue', '--dir', folder, '--name', name, '--hosts', hosts, ...options);
  const secret = `tocsin-tls-${name}`;
  await kubectl('delete', 'secret', secret, '--namespace', where, '--ignore-not-found');
  await kubectl('create', 'secret', 'generic', secret, '--namespace', where, `--from-file=${join(folder, name)}`);
}

test('with TLS between the programs and a sidecar in every pod, the Job completes and helm test succeeds', async () => {
  const job = ['wait', '--for=condition=Complete', 'job', '--selector', 'app.kubernetes.io/component=migrate'];
  await kubectl(...job, '--namespace', namespace, '--timeout=60s');
  expect(await runHelm(['test', RELEASE, '--namespace', namespace])).toMatch(/Phase:\s+Succeeded/);
});

test('a checker of another region sends results over TLS, and an outage turns the page red and sends an alert', async () => {
  await installRegion(region, {
    prepare: () => createCertificate('checker', region.namespace),
    values: { 'tls.existingSecret': 'tocsin-tls', baseUrl: installed.baseUrl },
  });
  await waitForRegion(region);
  const api = apiOf(installed);
  const shop = await openShop({ api, baseUrl: installed.baseUrl }, target, receiver);
  const events = () => receiver.alerts(`/${shop.slug}/hook`).map(({ body }) => body.event);
  await eventually(async () => expect(await shop.state()).toBe('up'), withinRounds);
  await eventually(async () => {
    const { by_location: locations } = await api.get<{ by_location: { location: string; checks: number }[] }>(
      `/monitors/${shop.monitorId}/response-times?range=1h`,
    );
    expect(locations.filter(({ checks }) => checks > 0).map(({ location }) => location)).toEqual(
      expect.arrayContaining(['local', region.name]),
    );
  }, withinRounds);
  await target.break();
  await eventually(() => expect(events()).toEqual(['monitor_down']), withinRounds);
  await eventually(async () => expect(await shop.page()).toContain('Major outage'));
  await target.repair();
  await eventually(() => expect(events()).toEqual(['monitor_down', 'monitor_recovered']), withinRounds);
});

/**
 * Calls a program without TLS, and with TLS but without a client certificate. Prints the response or the error of each
 * call.
 */
const PROBE = `
const [host, port] = process.argv.slice(1);
const tls = require('node:tls');
const { connect } = require('node:net');
const plain = new Promise((resolve) => {
  const socket = connect({ host, port }, () => socket.write('GET /x HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n'));
  let text = '';
  socket.on('data', (part) => { text += part; }).on('error', (error) => { text += error.code; }).on('close', () => resolve(text));
});
const stranger = new Promise((resolve) => {
  const socket = tls.connect({ host, port, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
  socket.on('data', () => resolve('accepted')).on('error', (error) => resolve(error.code)).on('close', () => resolve('closed'));
});
Promise.all([plain, stranger]).then((all) => console.log(JSON.stringify(all)));
`;

test('a program refuses calls without TLS, and clients without a certificate', async () => {
  const identity = `${RELEASE}-identity.${namespace}.svc.cluster.local`;
  const words = ['deployment/tocsin-gateway', '--namespace', namespace, '--', 'node', '-e', PROBE, identity, '7101'];
  const [plain, stranger] = JSON.parse(await kubectl('exec', ...words));
  expect(plain).not.toContain('HTTP/1.1');
  expect(stranger).toBe('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED');
});

test('a program uses a renewed certificate without a restart', async () => {
  const expiry = async () => {
    const [pod] = await podsOfComponent(namespace, 'identity');
    const metrics = await (await fetch(`http://${pod?.status.podIP}:7201/metrics`)).text();
    const value = /^tocsin_tls_certificate_expires_seconds\S* (\S+)$/m.exec(metrics)?.[1];
    return { seconds: Number(value), restarts: pod?.status.containerStatuses?.map(({ restartCount }) => restartCount) };
  };
  const before = await expiry();
  await createCertificate('identity', namespace, '--days', '30');
  const began = performance.now();
  await eventually(async () => expect((await expiry()).seconds).toBeLessThan(before.seconds), {
    timeoutMs: 180_000,
    intervalMs: 1_000,
  });
  process.stdout.write(`the renewed certificate was used after ${((performance.now() - began) / 1000).toFixed(0)} s\n`);
  expect((await expiry()).restarts).toEqual(before.restarts);
  await apiOf(installed).get('/monitors');
});
