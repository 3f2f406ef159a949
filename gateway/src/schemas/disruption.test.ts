import { ServiceError } from '@tocsin/errors';
import { ComponentStatus } from '@tocsin/proto/statuspage/v1/component_status';
import { expect, test } from 'vitest';
import { disruptionChanges, newDisruption } from './disruption.ts';

const ID = '0192f0c1-7a1e-7c3a-9f55-0e5b1c2d3e4f';
const OTHER = '0192f0c1-7a1e-7c3a-9f55-0e5b1c2d3e50';

type Components = NonNullable<Parameters<typeof disruptionChanges>[1]['components']>;

test.each<[Components[number]]>([
  [{ id: ID, status: 'operational' }],
  [{ component_id: ID, severity: 'operational' }],
  [{ id: ID, component_id: ID.toUpperCase(), status: 'operational', severity: 'operational' }],
])('the affected component %j is accepted', (component) => {
  const expected = { components: [{ id: ID, status: ComponentStatus.OPERATIONAL }] };
  expect(newDisruption('incident', { title: 'Slow', components: [component] }).components).toEqual(expected);
  expect(disruptionChanges('incident', { components: [component] })).toMatchObject({ components: expected });
});

test('two names of a field of an affected component must have the same value', () => {
  const components: Components = [
    { id: ID, status: 'operational' },
    { id: ID, component_id: OTHER, status: 'operational', severity: 'major_outage' },
  ];
  const fields = {
    'components.1.component_id': ['must equal id, of which it is another name'],
    'components.1.severity': ['must equal status, of which it is another name'],
  };
  for (const map of [
    () => newDisruption('incident', { title: 'Slow', components }),
    () => disruptionChanges('incident', { components }),
  ]) {
    expect(map).toThrow(ServiceError);
    expect(map).toThrow(expect.objectContaining({ fields }));
  }
});
