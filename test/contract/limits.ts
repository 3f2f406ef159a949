import { describe, expect, test } from 'vitest';
import { type Field, flag, integer, line, orNull, prose, text, word } from './field-values.ts';
import { type Fixture, idleMonitor, newPage, newWebhook, webhookChannel } from './fixture.ts';

interface Resource {
  readonly what: string;
  readonly path: string;
  /** Whether the resource belongs to a page. Each such resource is created on a new page. */
  readonly isPartOfPage?: true;
  readonly body: (changes: object) => object;
  readonly fields: Readonly<Record<string, Field>>;
  /** Fields whose value in the response differs from the request. */
  readonly notAnswered?: readonly string[];
  readonly hasNoPatch?: true;
}

const title = line(1, 255);
const color = text(['#1A2b3C', '#000000'], ['', '#12345', '#1234567', '#12345g', '123456', 'red']);
const url = text(
  ['https://acme.example/logo.svg', 'http://acme.example/a.png?x=1#y'],
  ['', '/logo.svg', 'javascript:alert(1)', 'ftp://acme.example/', `https://acme.example/${'x'.repeat(2_048)}`],
);
const moment = text(
  ['2026-11-20T10:00:00Z'],
  ['', 'noon', '2026-11-20', '2026-11-20T10:00:00', '2026-02-30T10:00:00Z', '2026-11-20T24:01:00Z'],
);
const day = text(
  ['2026-11-20', '1900-01-01', '2999-12-31', '2024-02-29'],
  ['', 'today', '2026-02-29', '2026-13-01', '1899-12-31', '3000-01-01', '2026-11-20T10:00:00Z', '20261120'],
);
const disruptionFields = { title, impact: word('minor', 'major', 'critical'), message: prose(10_000) };

/** Resources with their fields and bounds, as the specification of the API defines them. */
const resources: readonly Resource[] = [
  {
    what: 'a monitor',
    path: '/monitors',
    body: idleMonitor,
    fields: {
      name: title,
      interval_seconds: integer(30, 86_400),
      timeout_ms: integer(1_000, 60_000),
      confirm_down_minutes: integer(0, 30),
      confirm_up_minutes: integer(0, 30),
      enabled: flag,
    },
  },
  {
    what: 'a synthetic monitor',
    path: '/monitors',
    body: (changes) => idleMonitor({ check_type: 'synthetic', config: { script: 'export default 1' }, ...changes }),
    fields: { confirm_down_after: integer(1, 10), confirm_up_after: integer(1, 10) },
  },
  {
    what: 'an alert channel',
    path: '/alert-channels',
    body: webhookChannel,
    fields: { name: title, enabled: flag, default_for_new_monitors: flag },
  },
  { what: 'a webhook', path: '/webhooks', body: newWebhook, fields: { enabled: flag } },
  {
    what: 'a status page',
    path: '/status-pages',
    body: newPage,
    fields: {
      name: title,
      slug: text(
        ['l-3', `l${'-'.repeat(60)}z`, `l${'-'.repeat(61)}z`],
        ['', 'ab', `l${'-'.repeat(62)}z`, '-abc', 'abc-', 'Abc', 'a_c', 'a c', 'a.c', 'acé', 'abc\n', '😀😀😀'],
      ),
      description: orNull(prose(1_000)),
      theme: word('system', 'light', 'dark'),
      primary_color: orNull(color),
      logo_light_url: orNull(url),
      logo_dark_url: orNull(url),
      show_theme_switcher: flag,
      enabled: flag,
      subscribers_enabled: flag,
      show_uptime: flag,
      homepage_url: orNull(url),
      support_url: orNull(url),
      locale: word('en', 'de', 'fr', 'es', 'ar'),
      noindex: flag,
    },
  },
  {
    what: 'a component',
    path: '/components',
    isPartOfPage: true,
    body: (changes) => ({ name: 'API', ...changes }),
    fields: {
      name: title,
      description: orNull(prose(1_000)),
      position: integer(0, 1_000_000),
      start_date: orNull(day),
    },
    // A position beyond the end is replaced by the last position.
    notAnswered: ['position'],
  },
  {
    what: 'a group',
    path: '/component-groups',
    isPartOfPage: true,
    body: (changes) => ({ name: 'Web', ...changes }),
    fields: { name: title, position: integer(0, 1_000_000), default_open: orNull(flag) },
    notAnswered: ['position'],
  },
  {
    what: 'a disruption',
    path: '/disruptions',
    body: (changes) => ({ title: 'Slow', started_at: '2026-01-01T10:00:00Z', ...changes }),
    fields: { ...disruptionFields, started_at: moment },
    notAnswered: ['message'],
  },
  {
    what: 'an incident',
    path: '/incidents',
    body: (changes) => ({ title: 'Slow', ...changes }),
    fields: disruptionFields,
    notAnswered: ['message'],
  },
  ...['/disruptions', '/incidents'].map((path) => ({
    what: `a maintenance below ${path}`,
    path,
    body: (changes: object) => ({
      title: 'New disks',
      type: 'maintenance',
      started_at: '2026-01-01T10:00:00Z',
      ...changes,
    }),
    fields: { ends_at: orNull({ ...moment, good: ['2099-01-01T00:00:00Z'] }) },
  })),
  {
    what: 'an API key',
    path: '/api-keys',
    body: (changes) => ({ name: 'Key', permissions: ['monitors:read'], ...changes }),
    fields: {
      name: title,
      permissions: {
        good: [['monitors:read'], ['api_keys:read_write', 'monitors:read']],
        bad: ['monitors:read', ['monitors'], ['monitors:write'], ['MONITORS:READ'], [5], {}, 5, null],
      },
      expires_at: orNull({ good: ['2099-01-01T00:00:00Z'], bad: [...moment.bad, '2001-01-01T00:00:00Z'] }),
    },
    hasNoPatch: true,
  },
];

const short = (value: unknown) => JSON.stringify(value).slice(0, 60);
const cases = resources.flatMap((resource) =>
  Object.entries(resource.fields).map(([field, values]) => ({ ...resource, field, values })),
);

/**
 * Tests both sides of every bound on every plain field, in new and in changed resources. Uses the organization
 * `theirs`, because the webhooks of `mine` would report these changes.
 */
export function limits(fixture: () => Fixture): void {
  describe.each(cases)('$field of $what', ({ path, isPartOfPage, body, field, values, notAnswered, hasNoPatch }) => {
    async function listOf(): Promise<string> {
      if (!isPartOfPage) return path;
      const page = await fixture().theirs.create('/status-pages', newPage());
      return `/status-pages/${page.id}${path}`;
    }

    test('values within the bounds are accepted', async () => {
      const { theirs } = fixture();
      const list = await listOf();
      for (const value of values.good) {
        const shown = notAnswered?.includes(field) ? {} : { [field]: value };
        const made = await theirs.call('POST', list, body({ [field]: value }));
        expect(made, short(value)).toMatchObject({ status: 201, body: { data: shown } });
        const { id } = (made.body as { data: { id: string } }).data;
        if (!hasNoPatch) {
          const changed = await theirs.call('PATCH', `${list}/${id}`, { [field]: value });
          expect(changed, short(value)).toMatchObject({ status: 200, body: { data: shown } });
        }
        expect(await theirs.call('GET', `${list}/${id}`)).toMatchObject({ status: 200, body: { data: shown } });
        await theirs.call('DELETE', `${list}/${id}`);
      }
    });

    test('values outside the bounds are refused with an error for the field, and nothing changes', async () => {
      const { theirs } = fixture();
      const list = await listOf();
      const { id } = await theirs.create(list, body({}));
      const before = (await theirs.call('GET', list)).body;
      for (const value of values.bad) {
        const wrong = { [field]: value };
        const responses = [
          await theirs.call('POST', list, body(wrong)),
          ...(hasNoPatch ? [] : [await theirs.call('PATCH', `${list}/${id}`, wrong)]),
        ];
        for (const response of responses) {
          expect(response, short(value)).toMatchObject({ status: 422, body: { error: { type: 'validation_error' } } });
          const named = Object.keys((response.body as { error: { errors: object } }).error.errors);
          expect([...new Set(named.map((name) => name.split('.')[0]))], short(value)).toEqual([field]);
        }
      }
      expect((await theirs.call('GET', list)).body).toEqual(before);
      await theirs.call('DELETE', `${list}/${id}`);
    });
  });
}
