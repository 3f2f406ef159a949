import * as checker from '@tocsin/checker/config';
import * as disruption from '@tocsin/disruption/config';
import * as gateway from '@tocsin/gateway/config';
import * as identity from '@tocsin/identity/config';
import * as monitor from '@tocsin/monitor/config';
import * as notifier from '@tocsin/notifier/config';
import * as statuspage from '@tocsin/statuspage/config';
import { generateVaultKey } from '@tocsin/vault';
import { expect, test } from 'vitest';
import { buildHelm, HELM, minimal, minimalRegion, render, valuesFile } from './helm.ts';
import { containerOf, named, ofKind, type Peer, podOf, shortName } from './objects.ts';

const helm = await buildHelm(HELM);

/** Edges between programs: each program, and the programs that it calls. */
const edges: Readonly<Record<string, readonly string[]>> = {
  gateway: ['disruption', 'identity', 'monitor', 'notifier', 'statuspage'],
  identity: ['disruption', 'monitor', 'notifier', 'statuspage'],
  monitor: ['identity', 'notifier', 'statuspage'],
  checker: ['identity', 'monitor'],
  disruption: ['identity', 'statuspage'],
  statuspage: ['identity', 'monitor'],
  notifier: ['disruption', 'identity', 'monitor', 'statuspage'],
  migrate: [],
  test: ['gateway'],
};

test('the connections in `edges` match the configurations of the programs', () => {
  const names = ['identity', 'monitor', 'disruption', 'statuspage', 'notifier'];
  const env = {
    ...Object.fromEntries(names.map((name) => [`TOCSIN_${name.toUpperCase()}_URL`, `http://${name}.example`])),
    TOCSIN_BASE_URL: 'http://base',
    TOCSIN_DATABASE_URL: 'postgres://u:p@db/tocsin',
    TOCSIN_NATS_URL: 'nats://u:p@nats:4222',
    TOCSIN_VAULT_KEYS: generateVaultKey('k'),
    TOCSIN_SERVICE_SECRET: 'x'.repeat(43),
    TOCSIN_SERVICE_SECRETS: `admin:${'x'.repeat(43)}`,
  };
  const configs = { gateway, identity, monitor, checker, disruption, statuspage, notifier };
  for (const [name, { loadConfig }] of Object.entries(configs)) {
    const text = JSON.stringify(loadConfig(env));
    expect([name, names.filter((callee) => text.includes(`http://${callee}.example`)).sort()]).toEqual([
      name,
      edges[name],
    ]);
  }
});

const componentOf = ({ podSelector }: Peer) => podSelector?.matchLabels['app.kubernetes.io/component'] ?? [];

test('the egress rules of calling programs and the ingress rules of called programs match the connections in `edges`', async () => {
  const { objects } = await render(helm, 'tocsin', [minimal]);
  const policies = ofKind(objects, 'NetworkPolicy');
  const deny = named(objects, 'NetworkPolicy', 'acme-tocsin-deny-all');
  expect(deny?.spec).toEqual({
    podSelector: { matchLabels: { 'app.kubernetes.io/name': 'tocsin', 'app.kubernetes.io/instance': 'acme' } },
    policyTypes: ['Ingress', 'Egress'],
  });
  const out: Record<string, string[]> = {};
  const back: Record<string, string[]> = Object.fromEntries(Object.keys(edges).map((name) => [name, []]));
  for (const policy of policies.filter((each) => each !== deny)) {
    const name = shortName(policy);
    const { egress = [], ingress = [] } = policy.spec ?? {};
    out[name] = egress.flatMap(({ to = [] }) => to.flatMap(componentOf)).sort();
    for (const { from = [] } of ingress) {
      for (const peer of from.flatMap(componentOf)) back[peer]?.push(name);
    }
  }
  expect(out).toEqual(edges);
  expect(Object.fromEntries(Object.entries(back).map(([name, callees]) => [name, callees.sort()]))).toEqual(edges);
});

test('only programs that call tenant addresses may connect to public addresses and to the allowed private ranges', async () => {
  const { objects } = await render(helm, 'tocsin', [minimal, { 'networkPolicy.allowedTargets': ['10.9.0.0/16'] }]);
  const ranges = Object.fromEntries(
    ofKind(objects, 'NetworkPolicy').map((policy) => [
      shortName(policy),
      (policy.spec?.egress ?? []).flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => ipBlock ?? [])),
    ]),
  );
  for (const [name, blocks] of Object.entries(ranges)) {
    const reaches = ['checker', 'identity', 'notifier', 'statuspage'].includes(name);
    expect([name, blocks.map(({ cidr }) => cidr)]).toEqual([name, reaches ? ['0.0.0.0/0', '::/0', '10.9.0.0/16'] : []]);
    if (reaches)
      expect(blocks[0]?.except).toEqual(expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16', '192.168.0.0/16']));
  }
});

test('checkers of other regions may connect to identity and monitor only if networkPolicy.regionsFrom selects the checkers', async () => {
  const peer = { namespaceSelector: { matchLabels: { region: 'eu' } } };
  const calledBy = async (values: object) => {
    const { objects } = await render(helm, 'tocsin', [minimal, values]);
    const policies = ofKind(objects, 'NetworkPolicy').filter(({ spec }) =>
      spec?.ingress?.some(({ from = [] }) => JSON.stringify(from) === JSON.stringify([peer])),
    );
    return policies.map(shortName).sort();
  };
  expect(await calledBy({})).toEqual([]);
  expect(await calledBy({ 'networkPolicy.regionsFrom': [peer] })).toEqual(['identity', 'monitor']);
});

test('extraEgress of global and of a component are added to the egress rules of the chart', async () => {
  const rule = (port: number) => ({ ports: [{ port }] });
  const values = { 'global.extraEgress': [rule(4317)], 'notifier.extraEgress': [rule(25)] };
  const { objects } = await render(helm, 'tocsin', [minimal, values]);
  const policies = ofKind(objects, 'NetworkPolicy').filter((policy) => shortName(policy) !== 'deny-all');
  expect(policies).toHaveLength(9);
  for (const policy of policies) {
    const name = shortName(policy);
    const { egress = [] } = policy.spec ?? {};
    expect([name, egress.filter(({ to }) => !to)]).toEqual([
      name,
      name === 'notifier' ? [rule(4317), rule(25)] : [rule(4317)],
    ]);
  }
});

test('checkers of a region reach a leaf node in their namespace even if centreTo names other peers', async () => {
  const centre = { ipBlock: { cidr: '192.0.2.0/24' } };
  const files = [minimalRegion, valuesFile('tocsin-region', '../leaf-node-values.yaml')];
  const { objects } = await render(helm, 'tocsin-region', [...files, { 'networkPolicy.centreTo': [centre] }]);
  const { egress = [] } = named(objects, 'NetworkPolicy', 'acme-tocsin-region-checker')?.spec ?? {};
  expect(egress).toContainEqual({
    to: [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': 'tocsin-leaf-node' } } }],
    ports: [{ port: 4222 }],
  });
});

test('programs that call tenant addresses close the ports of all programs, except the port for visitors', async () => {
  const { objects } = await render(helm, 'tocsin', [minimal]);
  const region = await render(helm, 'tocsin-region', [minimalRegion]);
  const deployments = ofKind(objects, 'Deployment');
  const ports = deployments.flatMap((deployment) =>
    containerOf(podOf(deployment))
      .env.filter(({ name }) => /^TOCSIN_(RPC|ADMIN)_PORT$/.test(name))
      .map(({ value }) => value ?? ''),
  );
  const closed = [...deployments, ...ofKind(region.objects, 'Deployment')].flatMap((deployment) => {
    const variable = containerOf(podOf(deployment)).env.find(({ name }) => name === 'TOCSIN_CLOSED_PORTS');
    return variable ? [[shortName(deployment), variable.value]] : [];
  });
  const list = ports.sort().join(',');
  expect(ports).toHaveLength(13);
  expect(closed.sort()).toEqual([
    ...['checker', 'identity', 'notifier', 'region-checker', 'statuspage'].map((name) => [name, list]),
  ]);
});
