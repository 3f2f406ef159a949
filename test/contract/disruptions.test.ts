import { randomUUID } from 'node:crypto';
import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type House, newPage, openHouse, type Tenant } from './house.ts';

interface Resource {
  readonly id: string;
  readonly status: string;
  readonly resolved_at: string | null;
  readonly updates: readonly { readonly status: string; readonly body: string; readonly posted_by: string }[];
}

/** The resource's two names, and what each calls its usual type. */
const names: [string, string][] = [
  ['/disruptions', 'disruption'],
  ['/incidents', 'incident'],
];

/** Rows with a value that is short enough for a test's name. */
const named = (rows: [string, unknown, string | undefined][]) =>
  rows.map(([field, value, problem]) => {
    const text = JSON.stringify(value) ?? 'absent';
    return { field, value, problem, what: text.length > 60 ? `of ${[...text].length - 2} characters` : text };
  });

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.[Symbol.asyncDispose]());

const STATUSES = 'investigating, identified, monitoring, resolved, scheduled, in_progress, completed';
const BEGAN = '2026-01-01T10:00:00Z';
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const anInstant = expect.stringMatching(INSTANT);
const NOT_A_MOMENT = 'must be an ISO 8601 timestamp such as 2026-11-20T10:00:00Z';

const slow = (changes: object = {}) => ({ title: 'Slow', started_at: BEGAN, ...changes });
const open = (path = '/disruptions', changes: object = {}) => house.mine.create<Resource>(path, slow(changes));
const read = async (path: string, tenant = house.mine) =>
  ((await tenant.call('GET', path)).body as { data: Resource }).data;
const change = (id: string, body: object, path = '/disruptions') => house.mine.call('PATCH', `${path}/${id}`, body);
const errorsOf = async (method: string, path: string, body?: object) => {
  const answer = await house.mine.call(method, path, body);
  return answer.status === 422 ? (answer.body as { errors: object }).errors : answer.status;
};

/** A public page with components of these names. */
async function aPage(tenant: Tenant, ...names: string[]) {
  const wish = newPage({ enabled: true }) as { slug: string };
  const { id } = await tenant.create('/status-pages', wish);
  const components = names.map((name) => ({ type: 'component', name }));
  const { body } = await tenant.call('PUT', `/status-pages/${id}/structure`, { components });
  const ids = (body as { data: { components: { id: string }[] } }).data.components.map((component) => component.id);
  return {
    id,
    ids,
    /** What is published there: its components with these statuses. */
    with: (...statuses: string[]) => ({
      status_page_id: id,
      components: statuses.map((status, index) => ({ id: ids[index], status })),
    }),
    /** Waits until the public page says this, and not that. */
    async shows(words: string, notWords: string): Promise<void> {
      await eventually(async () => {
        const text = await (await fetch(`${house.network.baseUrl}/s/${wish.slug}`)).text();
        expect(text).toContain(words);
        expect(text).not.toContain(notWords);
      });
    },
  };
}

describe.each(names)('%s', (path, noun) => {
  const isDisruption = noun === 'disruption';

  test('is created with every default, and read the same', async () => {
    const { status, body } = await house.mine.call('POST', path, isDisruption ? slow() : { title: 'Slow' });
    expect(status).toBe(201);
    expect(body).toEqual({
      data: {
        id: expect.any(String),
        title: 'Slow',
        type: noun,
        status: 'investigating',
        impact: 'major',
        auto_created: false,
        started_at: isDisruption ? BEGAN : anInstant,
        ends_at: null,
        resolved_at: null,
        updates: [
          {
            id: expect.any(String),
            status: 'investigating',
            body: 'We are looking into it.',
            posted_at: anInstant,
            posted_by: 'mine@example.com',
          },
        ],
        affected_components: [],
        inserted_at: anInstant,
        updated_at: anInstant,
      },
    });
    const { data } = body as { data: Resource };
    expect((await house.mine.call('GET', `${path}/${data.id}`)).body).toEqual(body);
    expect((await house.mine.call('GET', path)).body).toHaveProperty('data.0', data);
  });

  test('is reachable under both names', async () => {
    const { id, ...rest } = await open(path);
    for (const [other, type] of names) {
      expect(await read(`${other}/${id}`)).toEqual({ id, ...rest, type });
      expect((await house.mine.call('GET', other)).body).toHaveProperty('data.0.id', id);
    }
    for (const [other, type] of names) {
      const answer = await change(id, { message: other, type }, other);
      expect(answer).toMatchObject({ status: 200, body: { data: { type } } });
    }
    expect((await read(`/disruptions/${id}`)).updates.map(({ body }) => body).slice(0, 2)).toEqual([
      '/incidents',
      '/disruptions',
    ]);
  });

  test('is deleted, and nothing of it is left', async () => {
    const { id } = await open(path);
    expect(await house.mine.call('DELETE', `${path}/${id}`)).toMatchObject({ status: 204 });
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? {} : undefined;
      expect(await house.mine.call(method, `${path}/${id}`, body)).toMatchObject({ status: 404 });
    }
  });

  const onCreate = named([
    ['title', undefined, 'is required'],
    ['title', '', 'is required'],
    ['title', 'x', undefined],
    ['title', '🛒'.repeat(255), undefined],
    ['title', '🛒'.repeat(256), 'must be at most 255 characters'],
    ['title', 'a\u0000b', 'must not contain control characters'],
    ['title', null, 'must not be null'],
    ['title', 5, 'must be a string'],
    ['type', noun, undefined],
    ['type', 'maintenance', undefined],
    ['type', isDisruption ? 'incident' : 'disruption', `must be one of ${noun}, maintenance`],
    ['impact', 'minor', undefined],
    ['impact', 'critical', undefined],
    ['impact', 'huge', 'must be one of minor, major, critical'],
    ['message', 'Two\nlines', undefined],
    ['message', '', undefined],
    ['message', 'x'.repeat(10_000), undefined],
    ['message', 'x'.repeat(10_001), 'must be at most 10000 characters'],
    ['ends_at', '2027-01-01T10:00:00Z', 'is only possible for maintenance'],
    ['ends_at', null, undefined],
    ['ends_at', 'tomorrow', NOT_A_MOMENT],
    ['components', {}, 'must be an array'],
  ]);
  test.each(onCreate)('on create, $field $what: $problem', async ({ field, value, problem }) => {
    const expected = problem === undefined ? 201 : { [field]: [problem] };
    expect(await errorsOf('POST', path, slow({ [field]: value }))).toEqual(expected);
  });

  const onChange = named([
    ['title', '', 'is required'],
    ['title', null, 'must not be null'],
    ['title', 'x'.repeat(256), 'must be at most 255 characters'],
    ['type', noun, undefined],
    ['type', 'maintenance', "can't be changed"],
    ['impact', null, 'must not be null'],
    ['status', 'completed', 'must be one of investigating, identified, monitoring, resolved'],
    ['status', 'over', `must be one of ${STATUSES}`],
    ['started_at', null, 'must not be null'],
    ['started_at', '2026-01-01T11:00:00+01:00', undefined],
    ['started_at', 'noon', NOT_A_MOMENT],
  ]);
  test.each(onChange)('on change, $field $what: $problem', async ({ field, value, problem }) => {
    const { id } = await open(path);
    const expected = problem === undefined ? 200 : { [field]: [problem] };
    expect(await errorsOf('PATCH', `${path}/${id}`, { [field]: value })).toEqual(expected);
  });

  test.each([
    ['status=over', 'status'],
    [`type=${isDisruption ? 'incident' : 'disruption'}`, 'type'],
    ['auto_created=perhaps', 'auto_created'],
  ])('a list can not be narrowed by %s', async (query, field) => {
    expect(await errorsOf('GET', `${path}?${query}`)).toHaveProperty(field);
  });

  test('a list is narrowed by all filters at once', async () => {
    const { id } = await open(path);
    await change(id, { status: 'monitoring' });
    const maintenance = await open(path, { type: 'maintenance' });
    const ids = async (query: string) =>
      ((await house.mine.call('GET', `${path}?${query}`)).body as { data: Resource[] }).data.map((one) => one.id);
    expect((await ids(`status=monitoring&type=${noun}&auto_created=false`))[0]).toBe(id);
    expect((await ids('type=maintenance'))[0]).toBe(maintenance.id);
    expect(await ids('type=maintenance&status=monitoring')).toEqual([]);
    expect(await ids('auto_created=true')).not.toContain(id);
  });
});

describe('when it began', () => {
  test.each([
    ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z'],
    ['2026-11-20T10:00Z', '2026-11-20T10:00:00Z'],
    ['2026-11-20T10:00:00.999999Z', '2026-11-20T10:00:00Z'],
    ['2026-11-20T00:30:00+01:00', '2026-11-19T23:30:00Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00Z'],
  ])('%s is understood', async (sent, answered) => {
    expect(await open('/disruptions', { started_at: sent })).toMatchObject({ started_at: answered });
  });

  test.each(['2026-11-20', '2026-11-20T10:00:00', '2026-02-30T10:00:00Z', '2026-13-01T10:00:00Z', '20:00', '', 'now'])(
    '%j is not',
    async (started_at) => {
      expect(await errorsOf('POST', '/disruptions', slow({ started_at }))).toEqual({
        started_at: [NOT_A_MOMENT],
      });
    },
  );

  test('has to be said of a disruption, and is not heard of an incident', async () => {
    expect(await errorsOf('POST', '/disruptions', { title: 'Slow' })).toEqual({ started_at: ['is required'] });
    const incident = await house.mine.create<{ id: string; started_at: string; inserted_at: string }>(
      '/incidents',
      slow({ started_at: 5 }),
    );
    expect(incident.started_at).toBe(incident.inserted_at);
  });
});

describe('publishing', () => {
  test('a page goes with components, and both have to be there', async () => {
    const page = await aPage(house.mine, 'API', 'Web');
    const elsewhere = await aPage(house.mine, 'Elsewhere');
    const theirs = await aPage(house.theirs, 'Theirs');
    const { id } = await open();
    const own = { id: page.ids[0], status: 'major_outage' };
    const cases: [object, object][] = [
      [{ status_page_id: page.id }, { components: ['is required together with status_page_id'] }],
      [{ components: [own] }, { status_page_id: ['is required together with components'] }],
      [theirs.with('major_outage'), { status_page_id: ['is not a status page of this organization'] }],
      [
        { status_page_id: randomUUID(), components: [] },
        { status_page_id: ['is not a status page of this organization'] },
      ],
      [
        { status_page_id: 'nonsense', components: [] },
        { status_page_id: ['is not a status page of this organization'] },
      ],
      [
        { status_page_id: page.id, components: [own, ...elsewhere.with('operational').components, own, {}] },
        {
          'components.1.id': ['is not a component of this page'],
          'components.2.id': ['appears twice'],
          'components.3.id': ['is required'],
          'components.3.status': [expect.stringContaining('must be one of operational')],
        },
      ],
      [
        { status_page_id: page.id, components: [{ ...own, status: 'broken' }, 5] },
        {
          'components.0.status': [expect.stringContaining('must be one of operational')],
          'components.1': ['must be an object'],
        },
      ],
    ];
    for (const [body, errors] of cases) {
      expect(await errorsOf('POST', '/disruptions', slow(body))).toEqual(errors);
      expect(await errorsOf('PATCH', `/disruptions/${id}`, body)).toEqual(errors);
    }
  });

  test('components have other names for id and status', async () => {
    const page = await aPage(house.mine, 'API', 'Web');
    const [first, second] = page.ids;
    const components = [
      { component_id: first, severity: 'degraded_performance' },
      { id: second, severity: 'major_outage' },
    ];
    expect(await open('/incidents', { status_page_id: page.id, components })).toMatchObject({
      affected_components: [
        { id: second, name: 'Web', status: 'major_outage' },
        { id: first, name: 'API', status: 'degraded_performance' },
      ],
    });
  });

  test('one call changes everything, and every page follows to the end', async () => {
    const page = await aPage(house.mine, 'API');
    const further = await aPage(house.mine, 'Shop');
    const { id } = await open('/disruptions', page.with('partial_outage'));
    await page.shows('Partial outage', 'Major outage');
    const { status, body } = await change(id, {
      title: 'No power',
      impact: 'critical',
      status: 'identified',
      message: 'A fuse.',
      started_at: '2026-01-01T09:00:00Z',
      ...further.with('major_outage'),
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      data: {
        title: 'No power',
        impact: 'critical',
        status: 'identified',
        started_at: '2026-01-01T09:00:00Z',
        updates: [
          { status: 'identified', body: 'A fuse.', posted_by: 'mine@example.com' },
          { status: 'investigating' },
        ],
        affected_components: [{ name: 'Shop' }, { name: 'API' }],
      },
    });
    await further.shows('Major outage', 'Partial outage');
    await further.shows('A fuse.', 'mine@example.com');
    await page.shows('A fuse.', 'Major outage');

    const resolved = (await change(id, { status: 'resolved' }, '/incidents')).body;
    expect(resolved).toMatchObject({
      data: {
        resolved_at: anInstant,
        updates: [{ status: 'resolved', body: 'This is resolved.' }, {}, {}],
        affected_components: [{ status: 'operational' }, { status: 'operational' }],
      },
    });
    for (const one of [page, further]) await one.shows('All systems operational', 'Ongoing');

    // Leaving the end brings back what was.
    expect((await change(id, { status: 'monitoring' })).body).toMatchObject({
      data: { resolved_at: null, affected_components: [{ status: 'major_outage' }, { status: 'partial_outage' }] },
    });
    await further.shows('Major outage', 'All systems operational');
  });

  test('a component has the worst of its open disruptions, and falls back when they go', async () => {
    const page = await aPage(house.mine, 'API');
    const mild = await open('/disruptions', page.with('degraded_performance'));
    const bad = await open('/disruptions', page.with('major_outage'));
    await page.shows('Major outage', 'All systems operational');
    await house.mine.call('DELETE', `/incidents/${bad.id}`);
    await page.shows('Degraded performance', 'Major outage');
    await change(mild.id, page.with());
    await page.shows('All systems operational', 'Degraded performance');
  });
});

test('maintenance is planned, starts, and is complete, all by itself', async () => {
  const page = await aPage(house.mine, 'API');
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
  const { id, status } = await open('/disruptions', {
    type: 'maintenance',
    title: 'New disks',
    started_at: inSeconds(3),
    ends_at: inSeconds(6),
    ...page.with('under_maintenance'),
  });
  expect(status).toBe('scheduled');
  await page.shows('Planned maintenance', 'Maintenance has begun.');
  await page.shows('Maintenance has begun.', 'Planned maintenance');
  expect(await read(`/incidents/${id}`)).toMatchObject({
    type: 'maintenance',
    status: 'in_progress',
    resolved_at: null,
  });
  await page.shows('Maintenance is complete.', 'Ongoing');
  const { updates, resolved_at } = await read(`/disruptions/${id}`);
  expect(resolved_at).toMatch(INSTANT);
  expect(updates.map((update) => [update.status, update.posted_by])).toEqual([
    ['completed', 'tocsin@localhost'],
    ['in_progress', 'tocsin@localhost'],
    ['scheduled', 'mine@example.com'],
  ]);
});

test("another organization's is as unknown as one that never was, under both names", async () => {
  const { id } = await open();
  for (const path of ['/disruptions', '/incidents']) {
    for (const [method, body] of [
      ['GET'],
      ['PATCH', { title: '' }],
      ['PATCH', { title: 'Mine now' }],
      ['DELETE'],
    ] as const) {
      const answers = [id, randomUUID(), 'nonsense'].map((one) => house.theirs.call(method, `${path}/${one}`, body));
      const [first, ...others] = await Promise.all(answers);
      if (body?.title === '') expect(first).toMatchObject({ status: 422 });
      else expect(first).toMatchObject({ status: 404, body: { error: { message: 'disruption not found' } } });
      for (const other of others) expect(other.body).toEqual(first?.body);
    }
    const listed = (await house.theirs.call('GET', path)).body as { data: Resource[] };
    expect(listed.data.map((one) => one.id)).not.toContain(id);
  }
  expect(await read(`/disruptions/${id}`)).toMatchObject({ title: 'Slow' });
});
