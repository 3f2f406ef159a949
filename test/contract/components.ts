import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Answer } from '../api.ts';
import { type Fixture, idleMonitor, newPage } from './fixture.ts';

/** Tests the components and component groups of status pages. */
export function components(fixture: () => Fixture): void {
  interface Made {
    readonly id: string;
  }

  const at = { id: expect.any(String), inserted_at: expect.any(String), updated_at: expect.any(String) };
  const plain = {
    ...at,
    type: 'component',
    status: 'operational',
    description: null,
    component_group_id: null,
    monitors: [],
    start_date: null,
  };

  function dataOf<Data>({ body }: Answer): Data {
    return (body as { data: Data }).data;
  }

  /** Creates a page. Returns it with calls for its groups and components. */
  async function aPage() {
    const { mine } = fixture();
    const { id } = await mine.create<Made>('/status-pages', newPage());
    const path = `/status-pages/${id}`;
    return {
      path,
      components: `${path}/components`,
      groups: `${path}/component-groups`,
      addComponent: (body: object) => mine.create<Made>(`${path}/components`, body),
      addGroup: (body: object) => mine.create<Made>(`${path}/component-groups`, body),
      /** Returns the names of entries in order; a group is `[name, ...components]`. */
      async outline(): Promise<unknown[]> {
        interface Entry {
          readonly name: string;
          readonly position: number;
          readonly components?: readonly Entry[];
        }
        const { components } = dataOf<{ components: Entry[] }>(await mine.call('GET', path));
        const numbered = (entries: readonly Entry[]) =>
          expect(entries.map(({ position }) => position)).toEqual(entries.map((_, index) => index));
        numbered(components);
        return components.map(({ name, components: inside }) => {
          if (!inside) return name;
          numbered(inside);
          return [name, ...inside.map((component) => component.name)];
        });
      },
    };
  }

  test('a component needs only a name, and is last by default', async () => {
    const { components, addGroup, addComponent, outline } = await aPage();
    await addGroup({ name: 'Group' });
    const made = await addComponent({ name: 'API' });
    expect(made).toEqual({ ...plain, name: 'API', position: 1 });
    expect(dataOf(await fixture().mine.call('GET', `${components}/${made.id}`))).toEqual(made);
    expect(await outline()).toEqual([['Group'], 'API']);
  });

  test('a component is returned with the values of the requests that created and changed it', async () => {
    const { mine } = fixture();
    const { components, addGroup, addComponent } = await aPage();
    const monitor = await mine.create<Made>('/monitors', idleMonitor());
    const group = await addGroup({ name: 'Group' });
    await addComponent({ name: 'First', component_group_id: group.id });
    const made = await addComponent({
      name: 'API',
      description: 'REST and more',
      position: 0,
      component_group_id: group.id,
      monitors: [{ monitor_id: monitor.id }],
      start_date: '2026-01-01',
    });
    const links = [{ monitor_id: monitor.id, down_status: 'major_outage' }];
    expect(made).toMatchObject({ description: 'REST and more', position: 0, monitors: links });
    expect(made).toMatchObject({ component_group_id: group.id, start_date: '2026-01-01' });

    const path = `${components}/${made.id}`;
    // The status of a component depends on whether the event of its new monitor has arrived.
    const same = { ...made, status: expect.stringMatching(/^(operational|unknown)$/) };
    expect(dataOf(await mine.call('PATCH', path, {}))).toEqual(same);
    const changed = { ...same, name: 'New', updated_at: expect.any(String) };
    expect(dataOf(await mine.call('PATCH', path, { name: 'New' }))).toEqual(changed);
    const monitors = [{ monitor_id: monitor.id, down_status: 'degraded_performance' }];
    expect(dataOf(await mine.call('PATCH', path, { monitors, description: null }))).toEqual({
      ...changed,
      monitors,
      description: null,
    });
    expect(dataOf(await mine.call('PATCH', path, { monitors: [] }))).toMatchObject({ monitors: [] });
  });

  test('components move within, into and out of groups', async () => {
    const { mine } = fixture();
    const { components, addGroup, addComponent, outline } = await aPage();
    const x = await addGroup({ name: 'X' });
    const a = await addComponent({ name: 'A', component_group_id: x.id });
    const b = await addComponent({ name: 'B', component_group_id: x.id });
    const c = await addComponent({ name: 'C' });
    const move = async ({ id }: Made, to: object) => {
      const response = await mine.call('PATCH', `${components}/${id}`, to);
      expect(response).toMatchObject({ status: 200, body: { data: { id } } });
      return outline();
    };
    expect(await move(b, { position: 0 })).toEqual([['X', 'B', 'A'], 'C']);
    expect(await move(c, { component_group_id: x.id })).toEqual([['X', 'B', 'A', 'C']]);
    expect(await move(a, { component_group_id: null })).toEqual([['X', 'B', 'C'], 'A']);
    expect(await move(c, { component_group_id: null, position: 0 })).toEqual(['C', ['X', 'B'], 'A']);
    expect(await move(c, { position: 1_000_000 })).toEqual([['X', 'B'], 'A', 'C']);
  });

  test('a deleted component is not found, and the positions of its siblings have no gap', async () => {
    const { mine } = fixture();
    const { components, addComponent, outline } = await aPage();
    const { id } = await addComponent({ name: 'A' });
    await addComponent({ name: 'B' });
    const path = `${components}/${id}`;
    expect(await mine.call('DELETE', path)).toMatchObject({ status: 204 });
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      expect(await mine.call(method, path, method === 'PATCH' ? {} : undefined)).toMatchObject({
        status: 404,
        body: { error: { type: 'not_found', message: 'component not found' } },
      });
    }
    expect(await outline()).toEqual(['B']);
  });

  test('a group is created, renamed, moved and deleted, and after its deletion its components take its position at the top level', async () => {
    const { mine } = fixture();
    const { groups, addGroup, addComponent, outline } = await aPage();
    await addComponent({ name: 'A' });
    const made = await addGroup({ name: 'X', position: 0 });
    expect(made).toEqual({ ...at, type: 'group', name: 'X', position: 0, default_open: null, components: [] });
    const b = await addComponent({ name: 'B', component_group_id: made.id });
    await addComponent({ name: 'C', component_group_id: made.id });
    const path = `${groups}/${made.id}`;
    const shown = dataOf(await mine.call('GET', path));
    expect(shown).toMatchObject({ ...made, components: [b, { name: 'C', position: 1 }] });
    expect(await mine.call('PATCH', path, { name: 'New', position: 5 })).toMatchObject({
      status: 200,
      body: { data: { name: 'New', position: 1 } },
    });
    await addComponent({ name: 'D' });
    expect(await outline()).toEqual(['A', ['New', 'B', 'C'], 'D']);
    expect(await mine.call('DELETE', path)).toMatchObject({ status: 204 });
    expect(await outline()).toEqual(['A', 'B', 'C', 'D']);
    expect(await mine.call('GET', path)).toMatchObject({
      status: 404,
      body: { error: { message: 'component group not found' } },
    });
  });

  /** An unknown id. It is constant, because it is part of test names. */
  const id = '615066c5-9adf-4a38-95d4-153c80e145a3';
  const link = (changes: object) => ({ monitors: [{ monitor_id: id, ...changes }] });

  const refused: [object, Record<string, string[]>][] = [
    [{ name: '' }, { name: ['is required'] }],
    [{ name: null }, { name: ['must not be null'] }],
    [{ name: '😀'.repeat(256) }, { name: ['must be at most 255 characters'] }],
    [{ name: 'a\nb' }, { name: ['must not contain control characters'] }],
    [{ description: '😀'.repeat(1_001) }, { description: ['must be at most 1000 characters'] }],
    [{ position: -1 }, { position: ['must be between 0 and 1000000'] }],
    [{ position: 0.5 }, { position: ['must be an integer'] }],
    [{ position: null }, { position: ['must not be null'] }],
    [{ position: 1_000_001 }, { position: ['must be between 0 and 1000000'] }],
    [{ start_date: '2026-11' }, { start_date: ['must be a date such as 2026-11-20'] }],
    [{ start_date: '2026-02-30' }, { start_date: ['must be a date such as 2026-11-20'] }],
    [{ start_date: 5 }, { start_date: ['must be a string or null'] }],
    [{ component_group_id: id }, { component_group_id: ['is not a group of this page'] }],
    [{ component_group_id: 'x' }, { component_group_id: ['is not a group of this page'] }],
    [{ component_group_id: 5 }, { component_group_id: ['must be a string or null'] }],
    [{ monitors: null }, { monitors: ['must not be null'] }],
    [link({}), { 'monitors.0.monitor_id': ['is not a monitor of this organization'] }],
    [link({ monitor_id: undefined }), { 'monitors.0.monitor_id': ['is required'] }],
    [
      link({ down_status: 'operational' }),
      { 'monitors.0.down_status': ['must be one of degraded_performance, partial_outage, major_outage'] },
    ],
  ];

  test.each(refused)('POST and PATCH refuse a component with the invalid fields %j', async (wrong, errors) => {
    const { mine } = fixture();
    const { components, addComponent } = await aPage();
    const made = await addComponent({ name: 'API' });
    const refusal = { status: 422, body: { error: { type: 'validation_error' } } };
    const created = await mine.call('POST', components, { name: 'New', ...wrong });
    const changed = await mine.call('PATCH', `${components}/${made.id}`, wrong);
    for (const response of [created, changed]) {
      expect(response).toMatchObject(refusal);
      expect(response.body).toHaveProperty('error.errors', errors);
    }
    expect(dataOf(await mine.call('GET', components))).toEqual([made]);
  });

  test.each([
    { name: '😀'.repeat(255) },
    { description: '😀'.repeat(1_000) },
    { description: null },
    { description: '' },
    { position: 0 },
    { component_group_id: null },
    { monitors: [] },
    { start_date: '2026-11-20' },
    { start_date: null },
  ])('a component with %j is accepted in a POST and in a PATCH', async (fields) => {
    const { mine } = fixture();
    const { components, addComponent } = await aPage();
    expect(await addComponent({ name: 'API', ...fields })).toMatchObject(fields);
    const { id: other } = await addComponent({ name: 'Other' });
    expect(await mine.call('PATCH', `${components}/${other}`, fields)).toMatchObject({
      status: 200,
      body: { data: fields },
    });
  });

  test.each([{ default_open: true }, { default_open: false }, { default_open: null }])(
    'a group with %j is accepted in a POST and in a PATCH',
    async (fields) => {
      const { groups, addGroup } = await aPage();
      const made = await addGroup({ name: 'X', ...fields });
      expect(made).toMatchObject(fields);
      const other = await addGroup({ name: 'Y', default_open: true });
      const changed = await fixture().mine.call('PATCH', `${groups}/${other.id}`, fields);
      expect(changed).toMatchObject({ status: 200, body: { data: fields } });
    },
  );

  const refusedGroups: typeof refused = [
    ...refused.filter(([wrong]) => 'name' in wrong || 'position' in wrong),
    [{ default_open: 'yes' }, { default_open: ['must be true or false or null'] }],
  ];

  test.each(refusedGroups)('POST and PATCH refuse a group with the invalid fields %j', async (wrong, errors) => {
    const { mine } = fixture();
    const { groups, addGroup } = await aPage();
    const made = await addGroup({ name: 'X' });
    for (const response of [
      await mine.call('POST', groups, { name: 'New', ...wrong }),
      await mine.call('PATCH', `${groups}/${made.id}`, wrong),
    ]) {
      expect(response).toMatchObject({ status: 422 });
      expect(response.body).toHaveProperty('error.errors', errors);
    }
    expect(dataOf(await mine.call('GET', groups))).toEqual([made]);
  });

  test('a component and a group without a name are refused', async () => {
    const { components, groups } = await aPage();
    for (const path of [components, groups]) {
      const response = await fixture().mine.call('POST', path, {});
      expect(response.body).toHaveProperty('error.errors', { name: ['is required'] });
    }
  });

  test('a monitor of another organization and a group of another page are refused', async () => {
    const { mine, theirs } = fixture();
    const { components, addComponent } = await aPage();
    const elsewhere = await (await aPage()).addGroup({ name: 'Elsewhere' });
    const monitor = await theirs.create<Made>('/monitors', idleMonitor());
    const body = { component_group_id: elsewhere.id, monitors: [{ monitor_id: monitor.id }] };
    const made = await addComponent({ name: 'API' });
    for (const response of [
      await mine.call('POST', components, { name: 'New', ...body }),
      await mine.call('PATCH', `${components}/${made.id}`, body),
    ]) {
      expect(response).toMatchObject({ status: 422 });
      expect(response.body).toHaveProperty('error.errors', {
        component_group_id: ['is not a group of this page'],
        'monitors.0.monitor_id': ['is not a monitor of this organization'],
      });
    }
  });

  test('components of another organization or another page are not found, like unknown ones', async () => {
    const { mine, theirs } = fixture();
    const page = await aPage();
    const other = await aPage();
    const component = await page.addComponent({ name: 'API' });
    const group = await page.addGroup({ name: 'X' });
    const before = (await mine.call('GET', page.path)).body;
    const name = { name: 'Mine' };
    for (const [path, elsewhere, made] of [
      [page.components, other.components, component],
      [page.groups, other.groups, group],
    ] as const) {
      const requests: [string, string, object?][] = [
        ['GET', ''],
        ['POST', '', name],
        ['GET', `/${made.id}`],
        ['PATCH', `/${made.id}`, name],
        ['DELETE', `/${made.id}`],
      ];
      for (const [method, rest, body] of requests) {
        const notFound = { status: 404, body: { error: { type: 'not_found' } } };
        const foreign = await theirs.call(method, `${path}${rest}`, body);
        expect(foreign).toMatchObject(notFound);
        const unknown = path.replace(/status-pages\/[^/]+/, `status-pages/${randomUUID()}`);
        expect((await mine.call(method, `${unknown}${rest}`, body)).body).toEqual(foreign.body);
        if (rest === '') continue;
        for (const wrong of [`${elsewhere}/${made.id}`, `${path}/${randomUUID()}`, `${path}/nonsense`]) {
          expect(await mine.call(method, wrong, body)).toMatchObject(notFound);
        }
      }
    }
    expect((await mine.call('GET', page.path)).body).toEqual(before);
  });

  test('reading needs status_pages:read, and writing status_pages:read_write', async () => {
    const { mine } = fixture();
    const page = await aPage();
    const component = await page.addComponent({ name: 'API' });
    const group = await page.addGroup({ name: 'X' });
    const reader = await mine.callWith(['status_pages:read', 'monitors:read_write']);
    const stranger = await mine.callWith(['monitors:read_write', 'incidents:read_write']);
    const writer = await mine.callWith(['status_pages:read_write']);
    const name = { name: 'New' };
    for (const [all, one] of [
      [page.components, `${page.components}/${component.id}`],
      [page.groups, `${page.groups}/${group.id}`],
      [undefined, page.path],
    ] as const) {
      for (const path of all ? [all, one] : [one]) {
        expect(await stranger('GET', path)).toMatchObject({ status: 403 });
        expect(await reader('GET', path)).toMatchObject({ status: 200 });
      }
      const writes: [string, string, object | undefined, number][] = [
        ...(all ? [['POST', all, name, 201] as [string, string, object, number]] : []),
        ['PATCH', one, name, 200],
        ['DELETE', one, undefined, 204],
      ];
      for (const [method, path, body, status] of writes) {
        expect(await reader(method, path, body)).toMatchObject({ status: 403 });
        expect(await writer(method, path, body)).toMatchObject({ status });
      }
    }
  });

  test('lists without a limit are complete, and lists with a limit link to the next page', async () => {
    const { mine } = fixture();
    const { components, groups, addComponent, addGroup } = await aPage();
    for (const name of ['A', 'B', 'C', 'D', 'E']) {
      await addComponent({ name });
      await addGroup({ name });
    }
    for (const path of [components, groups, '/status-pages']) {
      const whole = dataOf<Made[]>(await mine.call('GET', path));
      const seen: Made[] = [];
      let next: string | undefined = `${path}?limit=2`;
      while (next) {
        const response: Answer = await mine.call('GET', next);
        expect(response.status).toBe(200);
        seen.push(...dataOf<Made[]>(response));
        next = /^<\/api\/v1(\S+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
      }
      expect(seen).toEqual(whole);
      expect(seen.map(({ id: seenId }) => seenId)).toEqual(
        whole
          .map(({ id: wholeId }) => wholeId)
          .sort()
          .reverse(),
      );
      for (const [query, field] of [
        ['limit=0', 'limit'],
        ['limit=1001', 'limit'],
        ['limit=x', 'limit'],
        ['limit=', 'limit'],
        ['cursor=nonsense', 'cursor'],
      ]) {
        const response = await mine.call('GET', `${path}?${query}`);
        expect(response, query).toMatchObject({ status: 422 });
        expect(Object.keys((response.body as { error: { errors: object } }).error.errors)).toEqual([field]);
      }
    }
  });

  test('a deleted page and its components are not found, and the organization can use the slug again', async () => {
    const { mine } = fixture();
    const { path, components, addComponent } = await aPage();
    await addComponent({ name: 'API' });
    const { slug } = dataOf<{ slug: string }>(await mine.call('GET', path));
    expect(await mine.call('DELETE', path)).toMatchObject({ status: 204, body: '' });
    for (const gone of [path, components]) expect(await mine.call('GET', gone)).toMatchObject({ status: 404 });
    expect(await mine.call('DELETE', path)).toMatchObject({ status: 404 });
    expect(await mine.create('/status-pages', newPage({ slug }))).toMatchObject({ slug });
  });
}
