import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMPONENTS, type Component, NAMESPACE, RELEASE } from './installation.ts';
import { apply, kubectl, podsOf } from './kubernetes.ts';
import { IMAGE, startClusterTarget } from './target.ts';

/** Port on which each program accepts calls from other programs. */
const ports: Readonly<Record<Component, number>> = {
  gateway: 8080,
  identity: 7101,
  monitor: 7102,
  checker: 7103,
  disruption: 7104,
  statuspage: 7105,
  notifier: 7106,
};

/**
 * Destinations that each program may connect to. `node` is a server in another namespace. Its address is in the range
 * that the tests allow for check targets.
 */
const allowed: Readonly<Record<Component, readonly string[]>> = {
  gateway: ['disruption', 'identity', 'monitor', 'nats', 'notifier', 'postgres', 'statuspage'],
  identity: ['disruption', 'monitor', 'nats', 'node', 'notifier', 'postgres', 'statuspage'],
  monitor: ['identity', 'nats', 'notifier', 'postgres', 'statuspage'],
  checker: ['identity', 'monitor', 'nats', 'node'],
  disruption: ['identity', 'nats', 'postgres', 'statuspage'],
  statuspage: ['identity', 'monitor', 'nats', 'node', 'postgres'],
  notifier: ['disruption', 'identity', 'monitor', 'nats', 'node', 'postgres', 'statuspage'],
};

const outside = 'strangers';

/** Addresses of all destinations, by name. */
let destinations: Record<string, string>;

beforeAll(async () => {
  await startClusterTarget(outside, { port: 8001 });
  await apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'stranger', namespace: outside },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'stranger', image: IMAGE, command: ['sleep', 'infinity'] }],
    },
  });
  await kubectl('wait', '--for=condition=Ready', 'pod/stranger', '--namespace', outside, '--timeout=60s');
  const dns = await addressOf('kube-system', 'k8s-app=kube-dns');
  destinations = {
    postgres: `${await addressOf(NAMESPACE, 'app.kubernetes.io/name=tocsin-postgres')}:5432`,
    nats: `${await addressOf(NAMESPACE, 'app.kubernetes.io/name=tocsin-nats')}:4222`,
    'metrics of NATS': `${await addressOf(NAMESPACE, 'app.kubernetes.io/name=tocsin-nats')}:8222`,
    'metrics of DNS': `${dns}:8181`,
    node: `${await addressOf(outside, 'app=shop')}:8001`,
  };
  for (const name of COMPONENTS) {
    const address = await addressOf(NAMESPACE, componentSelector(name));
    destinations[name] = `${address}:${ports[name]}`;
    destinations[`metrics of ${name}`] = `${address}:${ports[name] === 8080 ? 7200 : ports[name] + 100}`;
  }
});
afterAll(() => kubectl('delete', 'namespace', outside, '--ignore-not-found'));

test.each(COMPONENTS)('%s can connect only to the destinations that its network policy allows', async (name) => {
  const others = Object.fromEntries(Object.entries(destinations).filter(([each]) => !each.endsWith(name)));
  expect(await reached(NAMESPACE, `deployment/${RELEASE}-${name}`, others)).toEqual(allowed[name]);
});

test('a pod of another namespace can connect only to the public port of the gateway and to NATS, which requires a password', async () => {
  const others = Object.entries(destinations).filter(([name]) => !['node', 'metrics of DNS'].includes(name));
  expect(others).toHaveLength(2 * COMPONENTS.length + 3);
  expect(await reached(outside, 'pod/stranger', Object.fromEntries(others))).toEqual(['gateway', 'nats']);
});

const componentSelector = (name: string) => `app.kubernetes.io/instance=${RELEASE},app.kubernetes.io/component=${name}`;

async function addressOf(namespace: string, selector: string): Promise<string> {
  const [pod] = await podsOf(namespace, selector);
  if (!pod) throw new Error(`no pod has ${selector}`);
  return pod.status.podIP;
}

/**
 * Tries a TCP connection to each address. Prints the names of the addresses that responded, with the error code if they
 * refused the connection.
 */
const PROBE = `
const { connect } = require('node:net');
const names = Object.entries(JSON.parse(process.argv[1])).map(([name, address]) => new Promise((resolve) => {
  const [host, port] = address.split(':');
  const socket = connect({ host, port, timeout: 2000 });
  const end = (result) => { socket.destroy(); resolve(result); };
  socket.on('connect', () => end([name])).on('timeout', () => end([])).on('error', (error) => end([name + ' ' + error.code]));
}));
Promise.all(names).then((all) => console.log(JSON.stringify(all.flat().sort())));
`;

async function reached(namespace: string, pod: string, addresses: Readonly<Record<string, string>>): Promise<string[]> {
  const words = ['node', '-e', PROBE, JSON.stringify(addresses)];
  return JSON.parse(await kubectl('exec', pod, '--namespace', namespace, '--', ...words));
}
