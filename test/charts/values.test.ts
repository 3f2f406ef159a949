import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { buildHelm, chartsFolder, HELM, minimal, minimalRegion, refusalOf } from './helm.ts';

const helm = await buildHelm(HELM);

test.each<[string, object, RegExp]>([
  ['an unknown setting', { gatway: {} }, /additional properties 'gatway' not allowed/],
  [
    'an unknown setting of a component',
    { 'monitor.replica': 2 },
    /\/monitor.*additional properties 'replica' not allowed/s,
  ],
  ['a text for a number', { 'gateway.replicas': 'two' }, /replicas.*got string, want integer/s],
  ['a digest that is not one of SHA-256', { 'global.image.digest': 'latest' }, /digest.*does not match pattern/s],
  ['no public URL', { baseUrl: '' }, /baseUrl is required: the public URL/],
  ['a base URL without scheme', { baseUrl: 'status.example.com' }, /baseUrl.*does not match pattern/s],
  ['no secret', { existingSecret: '' }, /existingSecret is required/],
  [
    'a checker of a region that monitor does not know',
    { checkerRegion: 'mars' },
    /checkerRegion is "mars", which is not one of regions/,
  ],
  ['an Ingress without host', { 'ingress.enabled': true }, /ingress.hosts needs at least one host/],
  [
    'a ServiceMonitor without peers that may read metrics',
    { 'serviceMonitor.enabled': true },
    /serviceMonitor.enabled needs networkPolicy.metricsFrom/,
  ],
  [
    'two ways of autoscaling',
    { 'monitor.autoscaling.enabled': true, 'monitor.keda': { enabled: true, triggers: [{ type: 'cron' }] } },
    /monitor has autoscaling.enabled and keda.enabled/,
  ],
  [
    'autoscaling to fewer pods than its minimum',
    { 'monitor.autoscaling': { enabled: true, maxReplicas: 1 } },
    /monitor has more autoscaling.minReplicas than maxReplicas/,
  ],
  ['KEDA without triggers', { 'monitor.keda.enabled': true }, /monitor has keda.enabled without keda.triggers/],
  [
    'the digest of one image for two images',
    { 'global.image.digest': `sha256:${'a'.repeat(64)}` },
    /checker.image needs the digest of tocsin-synthetic/,
  ],
  ['a size with an unknown unit', { 'global.tmpSize': '1K' }, /tmpSize.*does not match pattern/s],
  ['a name that Services may not have', { fullnameOverride: 'My_App' }, /fullnameOverride.*does not match pattern/s],
  [
    'a load balancer for a program that nothing outside of the cluster calls',
    { 'notifier.service.type': 'LoadBalancer' },
    /notifier.service.type is LoadBalancer/,
  ],
  ['a route without Gateway', { 'httpRoute.enabled': true }, /httpRoute.parentRefs needs at least one Gateway/],
])('%s is refused with a message that names the problem', async (_name, values, message) => {
  expect(await refusalOf(helm, 'tocsin', [minimal, values])).toMatch(message);
});

test.each(['region', 'identityUrl', 'monitorUrl', 'baseUrl', 'existingSecret'])(
  'a region without %s is refused',
  async (name) => {
    expect(await refusalOf(helm, 'tocsin-region', [minimalRegion, { [name]: '' }])).toContain(`${name} is required`);
  },
);

test('pods have the same settings in both charts', async () => {
  const [central, region] = await Promise.all(
    ['tocsin', 'tocsin-region'].map(async (chart) =>
      JSON.parse(await readFile(join(chartsFolder, chart, 'values.schema.json'), 'utf8')),
    ),
  );
  expect(region.$defs.component).toEqual(central.$defs.component);
});

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean;
}

/** Values that have no default: settings of the test pod and the library chart, and the condition of a parent chart. */
const withoutDefault = ['tocsin-pods', 'test', 'enabled'];

/** Maps that the charts pass to Kubernetes as they are. */
const passedOn = ['resources', 'podSecurityContext', 'securityContext'];

test.each(['tocsin', 'tocsin-region'])('the schema of %s names exactly the settings of values.yaml', async (chart) => {
  const values = parse(await readFile(join(chartsFolder, chart, 'values.yaml'), 'utf8'));
  const root = JSON.parse(await readFile(join(chartsFolder, chart, 'values.schema.json'), 'utf8'));
  const compared: string[] = [];
  const compare = (schema: Schema, value: object, path: string) => {
    const { properties, additionalProperties } = schema;
    if (!properties) return;
    compared.push(path);
    expect([path, additionalProperties]).toEqual([path, false]);
    const known = Object.keys(properties).filter((name) => !withoutDefault.includes(`${path}${name}`));
    expect([path, known.sort()]).toEqual([path, Object.keys(value).sort()]);
    for (const [name, nested] of Object.entries(value)) {
      const { $ref, ...own } = properties[name] as Schema;
      if (nested === null || typeof nested !== 'object' || Array.isArray(nested) || passedOn.includes(name)) continue;
      // All components share one schema, which has the settings of `global`. A component may set only some of them.
      if (name === 'global') compare(root.$defs.component, nested, 'global.');
      else if ($ref === undefined) compare(own, nested, `${path}${name}.`);
    }
  };
  compare(root, values, '');
  expect(compared).toEqual(expect.arrayContaining(['', 'global.', 'global.image.', 'global.autoscaling.', 'tls.']));
  for (const component of ['checker', 'migrate'].filter((name) => name in values)) {
    for (const name of Object.keys(values[component])) expect(root.$defs.component.properties).toHaveProperty(name);
  }
});
