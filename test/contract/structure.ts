import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { Answer } from '../api.ts';
import { type House, idleMonitor, newPage } from './house.ts';

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

/** PUT /status-pages/{id}/structure (spec: Replace structure rules). */
export function structure(house: () => House): void {
  let monitor: string;
  let foreignMonitor: string;
  beforeAll(async () => {
    const { mine, theirs } = house();
    monitor = (await mine.create('/monitors', idleMonitor())).id;
    foreignMonitor = (await theirs.create('/monitors', idleMonitor())).id;
  });

  /** A new page, and how to replace its structure. */
  async function aPage() {
    const { mine } = house();
    const { id } = await mine.create('/status-pages', newPage());
    const treeOf = (answer: Answer) => (answer.body as { data: { components: readonly Entry[] } }).data.components;
    const put = (components: unknown) => mine.call('PUT', `/status-pages/${id}/structure`, { components });
    return {
      put,
      /** Replaces, and answers the tree as a new look at the page shows it. */
      async tree(components: unknown): Promise<readonly Entry[]> {
        const answer = await put(components);
        expect(answer).toMatchObject({ status: 200 });
        const shown = treeOf(await mine.call('GET', `/status-pages/${id}`));
        expect(treeOf(answer)).toEqual(shown);
        return shown;
      },
    };
  }

  test('the tree comes back in its order, numbered from 0, with everything that was said', async () => {
    const { tree } = await aPage();
    const links = [{ monitor_id: monitor }];
    const shown = await tree([
      component('Website', { description: 'The shop', position: 7, monitors: links }),
      group('Backend', [
        component('API', { monitors: [{ monitor_id: monitor, down_status: 'partial_outage' }] }),
        component('Queue'),
      ]),
      component('Mail'),
    ]);
    const times = { id: expect.any(String), inserted_at: expect.any(String), updated_at: expect.any(String) };
    const plain = { ...times, type: 'component', description: null, component_group_id: null, monitors: [] };
    const inBackend = { ...plain, component_group_id: shown[1]?.id };
    expect(shown).toEqual([
      {
        ...plain,
        name: 'Website',
        description: 'The shop',
        position: 0,
        monitors: [{ monitor_id: monitor, down_status: 'major_outage' }],
      },
      {
        ...times,
        type: 'group',
        name: 'Backend',
        position: 1,
        components: [
          {
            ...inBackend,
            name: 'API',
            position: 0,
            monitors: [{ monitor_id: monitor, down_status: 'partial_outage' }],
          },
          { ...inBackend, name: 'Queue', position: 1 },
        ],
      },
      { ...plain, name: 'Mail', position: 2 },
    ]);
  });

  test('ids keep on their way between groups and the top level, and what is not named is deleted', async () => {
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

  test('a page keeps its structure when its own fields change', async () => {
    const { mine } = house();
    const { id } = await mine.create('/status-pages', newPage());
    const put = await mine.call('PUT', `/status-pages/${id}/structure`, { components: [component('A')] });
    const { components } = (put.body as { data: { components: unknown } }).data;
    expect(await mine.call('PATCH', `/status-pages/${id}`, { name: 'Other', components: [] })).toMatchObject({
      status: 200,
      body: { data: { name: 'Other', components } },
    });
  });

  const id = randomUUID();
  const link = (changes: object) => [component('A', { monitors: [changes] })];
  const refused: [string, unknown, Record<string, string[]>][] = [
    ['no components', undefined, { components: ['is required'] }],
    ['components that are no list', {}, { components: ['must be an array'] }],
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
    ['an id of nothing', [component('A', { id })], { 'components.0.id': ['is not a component of this page'] }],
    ['a group with an id of nothing', [group('A', [], { id })], { 'components.0.id': ['is not a group of this page'] }],
    ['an id that is none', [component('A', { id: 'x' })], { 'components.0.id': ['is not a component of this page'] }],
    [
      'an unknown monitor',
      link({ monitor_id: id }),
      { 'components.0.monitors.0.monitor_id': ['is not a monitor of this organization'] },
    ],
    ['a link to nothing', link({}), { 'components.0.monitors.0.monitor_id': ['is required'] }],
    [
      'a down status that is none',
      link({ monitor_id: id, down_status: 'operational' }),
      {
        'components.0.monitors.0.down_status': ['must be one of degraded_performance, partial_outage, major_outage'],
      },
    ],
  ];

  test.each(refused)('%s is refused', async (_, components, errors) => {
    const { put } = await aPage();
    const answer = await put(components);
    expect(answer).toMatchObject({ status: 422, body: { error: { type: 'validation_error' } } });
    expect(answer.body).toHaveProperty('errors', errors);
  });

  test("another organization's monitor is refused, and then nothing changes", async () => {
    const { put, tree } = await aPage();
    const before = await tree([component('A')]);
    const answer = await put([
      component('B', { monitors: [{ monitor_id: monitor }, { monitor_id: foreignMonitor }] }),
      component('C', { monitors: [{ monitor_id: monitor }, { monitor_id: monitor }] }),
    ]);
    expect(answer).toMatchObject({ status: 422 });
    expect(answer.body).toHaveProperty('errors', {
      'components.0.monitors.1.monitor_id': ['is not a monitor of this organization'],
      'components.1.monitors.1.monitor_id': ['appears twice'],
    });
    expect(await tree(before)).toEqual(before);
  });

  test('an id may be named once, on its own page, as what it is', async () => {
    const { put, tree } = await aPage();
    const other = await aPage();
    const [a, g] = await tree([component('A'), group('G', [])]);
    const [foreign] = await other.tree([component('F')]);
    const answer = await put([
      component('A', { id: a?.id }),
      group('G', [component('A', { id: a?.id })], { id: a?.id }),
      component('G', { id: g?.id }),
      component('F', { id: foreign?.id }),
    ]);
    expect(answer.body).toHaveProperty('errors', {
      'components.1.id': ['is not a group of this page'],
      'components.1.components.0.id': ['appears twice'],
      'components.2.id': ['is not a component of this page'],
      'components.3.id': ['is not a component of this page'],
    });
  });

  test('500 components in 20 groups are replaced in one go, forth and back', async () => {
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
