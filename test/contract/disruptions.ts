import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { disruptionCalls, INSTANT, names, type Resource, slow } from './disruption-calls.ts';
import type { Fixture } from './fixture.ts';

/**
 * Adds the property `what` to each row. It describes the value in the test name: by its JSON text, or by its length if
 * the text is long.
 */
const named = (rows: [string, unknown, string | undefined][]) =>
  rows.map(([field, value, problem]) => {
    const text = JSON.stringify(value) ?? 'absent';
    return { field, value, problem, what: text.length > 60 ? `of ${[...text].length - 2} characters` : text };
  });

/** Tests the fields, statuses and lists of disruptions and incidents. */
export function fieldsOfDisruptions(fixture: () => Fixture): void {
  const { open, read, change, errorsOf, aPage } = disruptionCalls(fixture);

  const STATUSES = 'investigating, identified, monitoring, resolved, scheduled, in_progress, completed';
  const PAST = '2026-01-02T10:00:00Z';
  const anInstant = expect.stringMatching(INSTANT);
  const NOT_A_MOMENT = 'must be an ISO 8601 timestamp such as 2026-11-20T10:00:00Z';

  test('a timeline has a size limit, and a list page has fewer disruptions if their timelines are long', async () => {
    const message = '😀'.repeat(10_000);
    const made: string[] = [];
    for (let count = 0; count < 6; count += 1) {
      const { id } = await fixture().theirs.create<Resource>('/disruptions', slow());
      for (let update = 0; update < 13; update += 1)
        await fixture().theirs.call('PATCH', `/disruptions/${id}`, { message });
      made.unshift(id);
    }
    const [full] = made;
    expect(await fixture().theirs.call('PATCH', `/disruptions/${full}`, { message })).toMatchObject({
      status: 422,
      body: { error: { errors: { message: [expect.stringContaining('at most 512 KB of messages')] } } },
    });
    const ids = ({ body }: { body: unknown }) => (body as { data: Resource[] }).data.map(({ id }) => id);
    const first = await fixture().theirs.call('GET', '/disruptions');
    expect(ids(first)).toEqual(made.slice(0, 5));
    const next = /^<\/api\/v1(.*)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    expect(ids(await fixture().theirs.call('GET', next))).toEqual(made.slice(5));
  });

  describe.each(names)('%s', (path, noun) => {
    const isDisruption = noun === 'disruption';

    test('absent fields of a new disruption have their defaults, and later reads return the same disruption', async () => {
      const { status, body } = await fixture().mine.call('POST', path, isDisruption ? slow() : { title: 'Slow' });
      expect(status).toBe(201);
      expect(body).toEqual({
        data: {
          id: expect.any(String),
          title: 'Slow',
          type: noun,
          status: 'investigating',
          impact: 'major',
          auto_created: false,
          started_at: isDisruption ? '2026-01-01T10:00:00Z' : anInstant,
          ends_at: null,
          resolved_at: null,
          acknowledged_at: null,
          acknowledged_by: null,
          updates: [
            {
              id: expect.any(String),
              status: 'investigating',
              body: 'We are looking into it.',
              explanation: null,
              posted_at: anInstant,
              edited_at: null,
              posted_by: 'mine@example.com',
            },
          ],
          affected_components: [],
          inserted_at: anInstant,
          updated_at: anInstant,
        },
      });
      const { data } = body as { data: Resource };
      expect((await fixture().mine.call('GET', `${path}/${data.id}`)).body).toEqual(body);
      expect((await fixture().mine.call('GET', path)).body).toHaveProperty('data.0', data);
    });

    test('a disruption is found under both names', async () => {
      const { id, ...rest } = await open(path);
      for (const [other, type] of names) {
        expect(await read(`${other}/${id}`)).toEqual({ id, ...rest, type });
        expect((await fixture().mine.call('GET', other)).body).toHaveProperty('data.0.id', id);
      }
      for (const [other, type] of names) {
        const response = await change(id, { message: other, type }, other);
        expect(response).toMatchObject({ status: 200, body: { data: { type } } });
      }
      expect((await read(`/disruptions/${id}`)).updates.map(({ body }) => body).slice(0, 2)).toEqual([
        '/incidents',
        '/disruptions',
      ]);
    });

    test("a disruption is acknowledged once, and can't be acknowledged after its end", async () => {
      const { id } = await open(path);
      const acknowledge = () => fixture().mine.call('POST', `${path}/${id}/acknowledge`);
      const first = await acknowledge();
      expect(first).toMatchObject({
        status: 200,
        body: { data: { id, acknowledged_at: anInstant, acknowledged_by: 'mine@example.com', type: noun } },
      });
      expect((await acknowledge()).body).toEqual(first.body);
      expect(await read(`${path}/${id}`)).toEqual((first.body as { data: Resource }).data);
      const page = await aPage(fixture().mine, 'API');
      const published = await open(path, page.with('partial_outage'));
      expect(await fixture().mine.call('POST', `${path}/${published.id}/acknowledge`)).toMatchObject({
        body: { data: { affected_components: [{ id: page.ids[0], name: 'API', status: 'partial_outage' }] } },
      });
      const ended = await open(path);
      await change(ended.id, { status: 'resolved' });
      expect(await fixture().mine.call('POST', `${path}/${ended.id}/acknowledge`)).toMatchObject({
        status: 409,
        body: { error: { message: `the ${noun} has ended: only an open ${noun} can be acknowledged` } },
      });
    });

    test('a deleted disruption is not found', async () => {
      const { id } = await open(path);
      expect(await fixture().mine.call('DELETE', `${path}/${id}`)).toMatchObject({ status: 204 });
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const body = method === 'PATCH' ? {} : undefined;
        expect(await fixture().mine.call(method, `${path}/${id}`, body)).toMatchObject({ status: 404 });
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
      ['status', 'identified', undefined],
      ['status', 'scheduled', 'must be one of investigating, identified, monitoring, resolved'],
      ['status', 'over', `must be one of ${STATUSES}`],
      ['resolved_at', null, undefined],
      ['resolved_at', '2999-01-01T10:00:00Z', 'must not be in the future'],
      ['resolved_at', 'yesterday', NOT_A_MOMENT],
      ['updates', [], undefined],
      ['updates', {}, 'must be an array'],
      ['updates', Array(201).fill({ status: 'resolved', posted_at: PAST }), 'must have at most 200 items'],
    ]);
    test.each(onCreate)('on creation, $field $what has the error: $problem', async ({ field, value, problem }) => {
      const expected = problem === undefined ? 201 : { [field]: [problem] };
      expect(await errorsOf('POST', path, slow({ [field]: value }))).toEqual(expected);
    });

    test('a past disruption is recorded with its timeline, and later reads return the same disruption', async () => {
      const recorded = await open(path, {
        started_at: '2026-01-01T10:00:00Z',
        resolved_at: '2026-01-01T11:30:00Z',
        status: 'resolved',
        updates: [
          { status: 'investigating', message: 'Slow since ten.', posted_at: '2026-01-01T10:00:00Z' },
          { status: 'resolved', posted_at: '2026-01-01T13:00:00+01:00' },
        ],
      });
      const by = { id: expect.any(String), explanation: null, posted_by: 'mine@example.com', edited_at: null };
      expect(recorded).toMatchObject({
        type: noun,
        status: 'resolved',
        started_at: '2026-01-01T10:00:00Z',
        resolved_at: '2026-01-01T11:30:00Z',
        updates: [
          { ...by, status: 'resolved', body: 'This is resolved.', posted_at: '2026-01-01T12:00:00Z' },
          { ...by, status: 'investigating', body: 'Slow since ten.', posted_at: '2026-01-01T10:00:00Z' },
        ],
      });
      expect(await read(`${path}/${recorded.id}`)).toEqual(recorded);
    });

    test('a timeline accepts 200 updates, and after them an update that ends the disruption', async () => {
      const updates = Array(200).fill({ status: 'investigating', posted_at: PAST });
      const recorded = await open(path, { updates, resolved_at: PAST });
      expect(recorded).toMatchObject({ status: 'resolved', resolved_at: PAST });
      expect(recorded.updates).toHaveLength(201);
    });

    test.each<[string, object, object]>([
      [
        'incomplete and unknown values',
        { updates: [{}, { status: 'over', posted_at: 'noon', message: 5 }] },
        {
          'updates.0.status': ['is required'],
          'updates.0.posted_at': ['is required'],
          'updates.1.status': [`must be one of ${STATUSES}`],
          'updates.1.posted_at': [NOT_A_MOMENT],
          'updates.1.message': ['must be a string'],
        },
      ],
      [
        'a date that does not exist',
        { updates: [{ status: 'resolved', posted_at: '2026-02-30T10:00:00Z' }] },
        { 'updates.0.posted_at': [NOT_A_MOMENT] },
      ],
      [
        'a status of another type, and the newest update first',
        {
          updates: [
            { status: 'completed', posted_at: '2026-01-01T12:00:00Z' },
            { status: 'resolved', posted_at: '2026-01-01T11:00:00Z' },
          ],
        },
        {
          'updates.0.status': ['must be one of investigating, identified, monitoring, resolved'],
          'updates.1.posted_at': ['must not be before that of the previous update: the oldest is first'],
        },
      ],
      [
        'both a message and updates, and an end of an open disruption',
        {
          message: 'Slow.',
          status: 'monitoring',
          resolved_at: PAST,
          updates: [{ status: 'monitoring', posted_at: PAST }],
        },
        {
          message: ['is not possible together with updates: send it as one of them'],
          resolved_at: ['is only possible with the status resolved'],
        },
      ],
      [
        'more than 64 KB of messages',
        { updates: Array(7).fill({ status: 'resolved', posted_at: PAST, message: 'x'.repeat(9_363) }) },
        { updates: ['must have at most 65536 bytes of messages in all, and has 65541'] },
      ],
    ])('a past disruption with %s is refused', async (_, changes, errors) => {
      expect(await errorsOf('POST', path, slow(changes))).toEqual(errors);
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
    test.each(onChange)('on change, $field $what has the error: $problem', async ({ field, value, problem }) => {
      const { id } = await open(path);
      const expected = problem === undefined ? 200 : { [field]: [problem] };
      expect(await errorsOf('PATCH', `${path}/${id}`, { [field]: value })).toEqual(expected);
    });

    test.each([
      ['status=over', 'status'],
      [`type=${isDisruption ? 'incident' : 'disruption'}`, 'type'],
      ['auto_created=perhaps', 'auto_created'],
    ])('the invalid filter %s causes an error for its parameter', async (query, field) => {
      expect(await errorsOf('GET', `${path}?${query}`)).toHaveProperty(field);
    });

    test('all filters of a list apply together', async () => {
      const { id } = await open(path);
      await change(id, { status: 'monitoring' });
      const maintenance = await open(path, { type: 'maintenance' });
      const ids = async (query: string) =>
        ((await fixture().mine.call('GET', `${path}?${query}`)).body as { data: Resource[] }).data.map((one) => one.id);
      expect((await ids(`status=monitoring&type=${noun}&auto_created=false`))[0]).toBe(id);
      expect((await ids('type=maintenance'))[0]).toBe(maintenance.id);
      expect(await ids('type=maintenance&status=monitoring')).toEqual([]);
      expect(await ids('auto_created=true')).not.toContain(id);
    });

    test('a filtered list can be paged', async () => {
      for (const title of ['One', 'Two', 'Three']) await open(path, { title, type: 'maintenance' });
      const whole = (await fixture().mine.call('GET', `${path}?type=maintenance`)).body as { data: Resource[] };
      const seen: Resource[] = [];
      let next: string | undefined = `${path}?type=maintenance&limit=2`;
      while (next) {
        const { headers, body } = await fixture().mine.call('GET', next);
        seen.push(...(body as typeof whole).data);
        next = /^<\/api\/v1(\S+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
      }
      expect(seen).toEqual(whole.data);
      expect(seen.length).toBeGreaterThan(2);
    });
  });

  describe('started_at', () => {
    test.each([
      ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z'],
      ['2026-11-20T10:00Z', '2026-11-20T10:00:00Z'],
      ['2026-11-20T10:00:00.999999Z', '2026-11-20T10:00:00Z'],
      ['2026-11-20T00:30:00+01:00', '2026-11-19T23:30:00Z'],
      ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00Z'],
    ])('the start time %s is accepted', async (sent, answered) => {
      expect(await open('/disruptions', { started_at: sent })).toMatchObject({ started_at: answered });
    });

    test.each(['2026-11-20', '2026-02-30T10:00:00Z', '2026-13-01T10:00:00Z', '20:00', '', 'now'])(
      'the start time %j is refused because it is not a valid time',
      async (started_at) => {
        expect(await errorsOf('POST', '/disruptions', slow({ started_at }))).toEqual({
          started_at: [
            started_at === '2026-11-20T10:00:00' ? 'must have an offset, such as Z or +02:00' : NOT_A_MOMENT,
          ],
        });
      },
    );

    test('a start time is required for a disruption and ignored for an incident', async () => {
      expect(await errorsOf('POST', '/disruptions', { title: 'Slow' })).toEqual({ started_at: ['is required'] });
      const incident = await fixture().mine.create<{ id: string; started_at: string; inserted_at: string }>(
        '/incidents',
        slow({ started_at: 5 }),
      );
      expect(incident.started_at).toBe(incident.inserted_at);
    });
  });

  test('a disruption of another organization gets the same 404 as an unknown one, on the paths of disruptions and incidents', async () => {
    const { id } = await open();
    for (const [path, noun] of names) {
      for (const [method, body] of [
        ['GET'],
        ['PATCH', { title: '' }],
        ['PATCH', { title: 'Mine now' }],
        ['DELETE'],
      ] as const) {
        const responses = [id, randomUUID(), 'nonsense'].map((one) =>
          fixture().theirs.call(method, `${path}/${one}`, body),
        );
        const [first, ...others] = await Promise.all(responses);
        expect(first).toMatchObject({ status: 404, body: { error: { message: `${noun} not found` } } });
        for (const other of others) expect(other.body).toEqual(first?.body);
      }
      const listed = (await fixture().theirs.call('GET', path)).body as { data: Resource[] };
      expect(listed.data.map((one) => one.id)).not.toContain(id);
    }
    expect(await read(`/disruptions/${id}`)).toMatchObject({ title: 'Slow' });
  });
}
