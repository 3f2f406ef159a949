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

test.each(['tocsin', 'tocsin-region'])('the schema of %s names exactly the settings of values.yaml', async (chart) => {
  const values = parse(await readFile(join(chartsFolder, chart, 'values.yaml'), 'utf8'));
  const { properties, $defs } = JSON.parse(await readFile(join(chartsFolder, chart, 'values.schema.json'), 'utf8'));
  const known = Object.keys(properties).filter((name) => !['tocsin-pods', 'test'].includes(name));
  expect(known.sort()).toEqual(Object.keys(values).sort());
  for (const [name, value] of Object.entries(values)) {
    const nested = properties[name].properties ?? (name === 'global' ? $defs.component.properties : undefined);
    if (
      nested &&
      ['networkPolicy', 'ingress', 'httpRoute', 'serviceMonitor', 'prometheusRule', 'global'].includes(name)
    ) {
      expect(Object.keys(nested).sort()).toEqual(Object.keys(value as object).sort());
    }
  }
});
