import { ServiceError } from '@tocsin/errors';
import { expect, test } from 'vitest';
import type { WantedComponent, WantedEntry } from './plan-structure.ts';
import { api, core, none, type Placed, page, plan, spelled } from './structure-fixture.ts';
import { MAX_LINKS } from './tree.ts';

/** Returns the errors of the plan for a request, by field. */
function fieldsOf(current: Placed, wanted: readonly WantedEntry[]) {
  try {
    plan(current, wanted);
  } catch (error) {
    if (error instanceof ServiceError) return error.fields;
    throw error;
  }
  return {};
}

const inGroup = (input: Partial<WantedComponent>): WantedEntry[] => [
  { ...core, components: [api, { ...api, ...input }] },
];
const link = (monitorId: string) => ({ monitorId, downStatus: 'major_outage' as const });

test.each<[string, WantedEntry[], string, string]>([
  [
    'an unknown component id',
    [{ ...api, kind: 'component', id: 'x' }],
    'components.0.id',
    'is not a component of this page',
  ],
  ['an unknown group id', [{ ...core, id: 'x', components: [] }], 'components.0.id', 'is not a group of this page'],
  [
    'a component with the id of a group',
    inGroup({ id: 'group-1' }),
    'components.0.components.1.id',
    'is not a component of this page',
  ],
  [
    'a repeated id',
    [{ ...api, kind: 'component', id: 'component-1' }, ...inGroup({ id: 'component-1' })],
    'components.1.components.1.id',
    'appears twice',
  ],
  ['a missing name', inGroup({ name: '' }), 'components.0.components.1.name', 'is required'],
  [
    'a long name',
    inGroup({ name: 'x'.repeat(256) }),
    'components.0.components.1.name',
    'must be at most 255 characters',
  ],
  [
    'a long description',
    [{ ...api, kind: 'component', description: 'x'.repeat(1001) }],
    'components.0.description',
    'must be at most 1000 characters',
  ],
  ['a group without a name', [{ ...core, name: '', components: [] }], 'components.0.name', 'is required'],
  ['an entry without a group or component', [{ kind: 'unknown' }], 'components.0.type', 'must be group or component'],
  [
    'an unknown monitor',
    inGroup({ monitors: [link('monitor-1'), link('stranger')] }),
    'components.0.components.1.monitors.1.monitor_id',
    'is not a monitor of this organization',
  ],
  [
    'a repeated monitor',
    inGroup({ monitors: [link('monitor-1'), link('monitor-1')] }),
    'components.0.components.1.monitors.1.monitor_id',
    'appears twice',
  ],
  [
    'the down status operational',
    inGroup({ monitors: [{ monitorId: 'monitor-1', downStatus: 'operational' }] }),
    'components.0.components.1.monitors.0.down_status',
    'must be one of degraded_performance, partial_outage, major_outage',
  ],
])('the error about %s contains the path of the invalid field', (_, wanted, field, words) => {
  expect(fieldsOf(page, wanted)).toEqual({ [field]: [words] });
});

test('all errors in a structure are returned at once', () => {
  const wanted: WantedEntry[] = [{ kind: 'unknown' }, ...inGroup({ name: '', id: 'x' })];
  expect(Object.keys(fieldsOf(page, wanted))).toEqual([
    'components.0.type',
    'components.1.components.1.id',
    'components.1.components.1.name',
  ]);
});

test('a structure has at most 2,000 links to monitors, unless the page has as many already', () => {
  const linked = (count: number): WantedEntry[] => {
    const monitors = (length: number) => Array.from({ length }, (_, index) => link(`monitor-${index}`));
    return [
      { ...core, components: [{ ...api, monitors: monitors(10) }] },
      { ...api, kind: 'component', name: 'Website', monitors: monitors(count - 10) },
    ];
  };
  const tooMany = (count: number) => ({
    components: [`a page has at most ${MAX_LINKS} links to monitors, and this page would have ${count}`],
  });
  expect(fieldsOf(page, linked(MAX_LINKS))).toEqual({});
  expect(fieldsOf(page, linked(MAX_LINKS + 1))).toEqual(tooMany(MAX_LINKS + 1));

  const full: Placed = {
    ...page,
    components: page.components.map((one) => ({
      ...one,
      monitors: Array.from({ length: MAX_LINKS }, (_, index) => link(`monitor-${index}`)),
    })),
  };
  expect(fieldsOf(full, linked(2 * MAX_LINKS))).toEqual({});
  expect(fieldsOf(full, linked(2 * MAX_LINKS + 1))).toEqual(tooMany(2 * MAX_LINKS + 1));
});

test('names that were saved under older rules stay valid until they are changed', () => {
  const name = 'A\u202ePI';
  const old: Placed = {
    groups: page.groups.map((group) => ({ ...group, name })),
    components: page.components.map((component) => ({ ...component, name })),
  };
  const changed = spelled(old).map((entry) =>
    entry.kind === 'component' ? { ...entry, description: 'Another one' } : entry,
  );
  expect(fieldsOf(old, changed)).toEqual({});
  expect(fieldsOf(old, [{ ...core, id: 'group-1', name: `${name}!`, components: [] }])).toEqual({
    'components.0.name': ['must not contain control characters'],
  });
  expect(fieldsOf(old, [{ ...api, kind: 'component', id: 'component-1', name: `${name}!` }])).toEqual({
    'components.0.name': ['must not contain control characters'],
  });
  expect(fieldsOf(none, [{ ...api, kind: 'component', name }])).toEqual({
    'components.0.name': ['must not contain control characters'],
  });
});
