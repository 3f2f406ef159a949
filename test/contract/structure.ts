import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import type { Answer } from '../api.ts';
import { type Fixture, idleMonitor, newPage } from './fixture.ts';

interface Entry {
  readonly type: 'group' | 'component';
  readonly id: string;
  readonly name: string;
  readonly position: number;
  readonly component_group_id?: string | null;
  readonly components?: readonly Entry[];
}

const component = (name: string, rest: object = {}) => ({ type: 'component', name, ...rest });
const group = (name: string, components: readonly object[], rest: object = {}) => ({
  type: 'group',
  name,
  components,
  ...rest,
});

/** Returns names and ids of entries in order. */
const outline = (entries: readonly object[]): unknown[] =>
  (entries as Entry[]).map(({ id, name, components = [] }) => [id, name, outline(components)]);

/** Tests PUT /status-pages/{id}/structure. */
export function structure(fixture: () => Fixture): void {
  let monitor: string;
  let foreignMonitor: string;
  beforeAll(async () => {
    const { mine, theirs } = fixture();
    monitor = (await mine.create('/monitors', idleMonitor())).id;
    foreignMonitor = (await theirs.create('/monitors', idleMonitor())).id;
  });

  /** Creates a page. Returns functions that replace and read its structure. */
  async function aPage() {
    const { mine } = fixture();
    const { id } = await mine.create('/status-pages', newPage());
    const treeOf = (response: Answer) => (response.body as { data: { components: readonly Entry[] } }).data.components;
    const put = (components: unknown) => mine.call('PUT', `/status-pages/${id}/structure`, { components });
    const now = async () => treeOf(await mine.call('GET', `/status-pages/${id}`));
    return {
      put,
      now,
      /** Replaces the structure and returns the result of a GET. */
      async tree(components: unknown): Promise<readonly Entry[]> {
        const response = await put(components);
        expect(response).toMatchObject({ status: 200 });
        const shown = await now();
        expect(treeOf(response)).toEqual(shown);
        return shown;
      },
    };
  }

  test('the structure is returned with all fields and in the order sent; positions start at 0', async () => {
    const { tree } = await aPage();
    const links = [{ monitor_id: monitor }];
    const shown = await tree([
      component('Website', { description: 'The shop', position: 7, monitors: links, start_date: '2026-01-01' }),
      group(
        'Backend',
        [
          component('API', { monitors: [{ monitor_id: monitor, down_status: 'partial_outage' }] }),
          component('Queue', { start_date: '2026-02-01' }),
        ],
        { default_open: false },
      ),
      component('Mail', { monitors: [{ monitor_id: monitor, down_status: 'degraded_performance' }] }),
    ]);
    const times = { id: expect.any(String), inserted_at: expect.any(String), updated_at: expect.any(String) };
    const plain = {
      ...times,
      type: 'component',
      description: null,
      component_group_id: null,
      monitors: [],
      start_date: null,
      status: expect.stringMatching(/^(operational|unknown)$/),
    };
    const inBackend = { ...plain, component_group_id: shown[1]?.id };
    expect(shown).toEqual([
      {
        ...plain,
        name: 'Website',
        description: 'The shop',
        position: 0,
        start_date: '2026-01-01',
        monitors: [{ monitor_id: monitor, down_status: 'major_outage' }],
      },
      {
        ...times,
        type: 'group',
        name: 'Backend',
        position: 1,
        default_open: false,
        components: [
          {
            ...inBackend,
            name: 'API',
            position: 0,
            monitors: [{ monitor_id: monitor, down_status: 'partial_outage' }],
          },
          { ...inBackend, name: 'Queue', position: 1, start_date: '2026-02-01' },
        ],
      },
      {
        ...plain,
        name: 'Mail',
        position: 2,
        monitors: [{ monitor_id: monitor, down_status: 'degraded_performance' }],
      },
    ]);
  });

  test('entries keep their ids when they move between groups and the top level, and omitted entries are deleted', async () => {
    const { tree } = await aPage();
    const [left, right] = await tree([group('Left', [component('A'), component('B')]), group('Right', [])]);
    const [a, b] = left?.components ?? [];
    const moved = await tree([
      group('Right', [component('B', { id: b?.id })], { id: right?.id }),
      component('A', { id: a?.id }),
    ]);
    expect(moved).toMatchObject([
      { id: right?.id, position: 0, components: [{ id: b?.id, position: 0, component_group_id: right?.id }] },
      { id: a?.id, position: 1, component_group_id: null },
    ]);
    expect(moved).toHaveLength(2);

    expect(await tree([])).toEqual([]);
    const [fresh] = await tree([component('A')]);
    expect(fresh?.id).not.toBe(a?.id);
  });

  test('an update of a page does not change its structure', async () => {
    const { mine } = fixture();
    const { id } = await mine.create('/status-pages', newPage());
    const path = `/status-pages/${id}`;
    const monitors = [{ monitor_id: monitor, down_status: 'partial_outage' }];
    const wanted = [component('A', { monitors }), group('G', [component('B', { monitors })])];
    const put = await mine.call('PUT', `${path}/structure`, { components: wanted });
    const { components } = (put.body as { data: { components: Entry[] } }).data;
    expect(await mine.call('PATCH', path, { name: 'Other', components: [] })).toMatchObject({
      status: 200,
      body: { data: { name: 'Other', components } },
    });
    const [a, g] = components;
    const [b] = g?.components ?? [];
    expect((await mine.call('GET', `${path}/components`)).body).toEqual({ data: expect.arrayContaining([a, b]) });
    expect((await mine.call('GET', `${path}/components/${a?.id}`)).body).toEqual({ data: a });
    expect((await mine.call('GET', `${path}/component-groups`)).body).toEqual({ data: [g] });
    expect((await mine.call('GET', `${path}/component-groups/${g?.id}`)).body).toEqual({ data: g });
    expect((await mine.call('PATCH', `${path}/component-groups/${g?.id}`, {})).body).toEqual({ data: g });
    const second = { name: 'C', monitors };
    expect(await mine.call('POST', `${path}/components`, second)).toMatchObject({
      status: 201,
      body: { data: second },
    });
  });

  test('two concurrent replacements are not mixed, and entries keep their ids', async () => {
    const { put, now, tree } = await aPage();
    const [g, c] = await tree([group('G', [component('A'), component('B')]), component('C')]);
    const [a, b] = g?.components ?? [];
    const called = (name: string) => (entry?: Entry) => component(name, { id: entry?.id });
    const left = called('Left');
    const right = called('Right');
    const wanted = [
      [left(c), group('Left', [left(b), left(a)], { id: g?.id })],
      [group('Right', [right(a), right(c)], { id: g?.id }), right(b)],
    ];
    for (let round = 0; round < 10; round += 1) {
      const responses = await Promise.all(wanted.map(put));
      for (const [index, response] of responses.entries()) {
        expect(response).toMatchObject({ status: 200, body: { data: { components: wanted[index] } } });
      }
      const shown = await now();
      expect(wanted.map(outline).filter((one) => isDeepStrictEqual(one, outline(shown)))).toHaveLength(1);
    }
  });

  const id = randomUUID();
  const link = (changes: object) => [component('A', { monitors: [changes] })];
  const refused: [string, unknown, Record<string, string[]>][] = [
    ['missing components', undefined, { components: ['is required'] }],
    ['components that are not an array', {}, { components: ['must be an array'] }],
    ['an entry without a type', [{ name: 'A' }], { 'components.0.type': ['is required'] }],
    ['an unknown type', [{ type: 'page', name: 'A' }], { 'components.0.type': ['must be one of group, component'] }],
    ['an entry without a name', [{ type: 'component' }], { 'components.0.name': ['is required'] }],
    ['an empty name', [component('A'), component('')], { 'components.1.name': ['is required'] }],
    ['a null name', [{ type: 'group', name: null }], { 'components.0.name': ['must not be null'] }],
    [
      'a name that is too long',
      [component('😀'.repeat(256))],
      { 'components.0.name': ['must be at most 255 characters'] },
    ],
    [
      'a description that is too long',
      [component('A', { description: 'x'.repeat(1_001) })],
      { 'components.0.description': ['must be at most 1000 characters'] },
    ],
    [
      'a group in a group',
      [group('A', [component('B'), group('C', [])])],
      { 'components.0.components.1.type': ["must be component: groups can't be nested"] },
    ],
    ['an unknown component id', [component('A', { id })], { 'components.0.id': ['is not a component of this page'] }],
    ['an unknown group id', [group('A', [], { id })], { 'components.0.id': ['is not a group of this page'] }],
    ['a malformed id', [component('A', { id: 'x' })], { 'components.0.id': ['is not a component of this page'] }],
    ['an empty component id', [component('A', { id: '' })], { 'components.0.id': ['is not a component of this page'] }],
    [
      'an empty id in a group with an empty id',
      [group('A', [component('B', { id: '' })], { id: '' })],
      {
        'components.0.id': ['is not a group of this page'],
        'components.0.components.0.id': ['is not a component of this page'],
      },
    ],
    [
      'an unknown monitor',
      link({ monitor_id: id }),
      { 'components.0.monitors.0.monitor_id': ['is not a monitor of this organization'] },
    ],
    [
      'monitors that are not an array',
      [component('A', { monitors: {} })],
      { 'components.0.monitors': ['must be an array'] },
    ],
    [
      'components of a group that are not an array',
      [group('A', [], { components: {} })],
      { 'components.0.components': ['must be an array'] },
    ],
    [
      'several errors in a group',
      [
        group('A', [
          component('', { description: 5, monitors: [{ monitor_id: 5, down_status: 'up' }] }),
          component('B', { monitors: null }),
        ]),
      ],
      {
        'components.0.components.0.name': ['is required'],
        'components.0.components.0.description': ['must be a string or null'],
        'components.0.components.0.monitors.0.monitor_id': ['must be a string'],
        'components.0.components.0.monitors.0.down_status': [
          'must be one of degraded_performance, partial_outage, major_outage',
        ],
        'components.0.components.1.monitors': ['must not be null'],
      },
    ],
    [
      'a start date that is not a day',
      [component('A', { start_date: '2026-02-30' }), group('B', [component('C', { start_date: '2026-02-30' })])],
      {
        'components.0.start_date': ['must be a date such as 2026-11-20'],
        'components.1.components.0.start_date': ['must be a date such as 2026-11-20'],
      },
    ],
    [
      'settings of other types',
      [component('A', { start_date: 20_260_101 }), group('B', [], { default_open: 'yes' })],
      {
        'components.0.start_date': ['must be a string or null'],
        'components.1.default_open': ['must be true or false or null'],
      },
    ],
    ['a link without a monitor', link({}), { 'components.0.monitors.0.monitor_id': ['is required'] }],
    [
      'an invalid down status',
      link({ monitor_id: id, down_status: 'operational' }),
      {
        'components.0.monitors.0.down_status': ['must be one of degraded_performance, partial_outage, major_outage'],
      },
    ],
  ];

  test.each(refused)('a structure with %s is refused', async (_, components, errors) => {
    const { put } = await aPage();
    const response = await put(components);
    expect(response).toMatchObject({ status: 422, body: { error: { type: 'validation_error' } } });
    expect(response.body).toHaveProperty('error.errors', errors);
  });

  test('a monitor of another organization is refused, and nothing changes', async () => {
    const { put, tree } = await aPage();
    const before = await tree([component('A')]);
    const response = await put([
      component('B', { monitors: [{ monitor_id: monitor }, { monitor_id: foreignMonitor }] }),
      component('C', { monitors: [{ monitor_id: monitor }, { monitor_id: monitor }] }),
    ]);
    expect(response).toMatchObject({ status: 422 });
    expect(response.body).toHaveProperty('error.errors', {
      'components.0.monitors.1.monitor_id': ['is not a monitor of this organization'],
      'components.1.monitors.1.monitor_id': ['appears twice'],
    });
    expect(await tree(before)).toEqual(before);
  });

  test('a repeated id, an id from another page and an id of another type are refused', async () => {
    const { put, tree } = await aPage();
    const other = await aPage();
    const [a, g] = await tree([component('A'), group('G', [])]);
    const [foreign] = await other.tree([component('F')]);
    const response = await put([
      component('A', { id: a?.id }),
      group('G', [component('A', { id: a?.id })], { id: a?.id }),
      component('G', { id: g?.id }),
      component('F', { id: foreign?.id }),
    ]);
    expect(response.body).toHaveProperty('error.errors', {
      'components.1.id': ['is not a group of this page'],
      'components.1.components.0.id': ['appears twice'],
      'components.2.id': ['is not a component of this page'],
      'components.3.id': ['is not a component of this page'],
    });
  });

  test('500 components in 20 groups are created in one request and reversed in another', async () => {
    const { tree } = await aPage();
    const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);
    const made = await tree(
      numbers(20).map((g) =>
        group(
          `Group ${g}`,
          numbers(25).map((c) => component(`C ${g}.${c}`, { monitors: [{ monitor_id: monitor }] })),
        ),
      ),
    );
    expect(made.flatMap(({ components = [] }) => components)).toHaveLength(500);
    const turned = await tree(made.toReversed());
    expect(turned.map(({ id: turnedId }) => turnedId)).toEqual(made.map(({ id: madeId }) => madeId).toReversed());
    expect(turned.map(({ position }) => position)).toEqual(numbers(20));
  });
}
