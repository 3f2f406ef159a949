import { expect, test } from 'vitest';
import type { JsonObject } from '../json.ts';
import type { Current } from './current.ts';
import { exportFile } from './export.ts';
import { load } from './load.ts';
import { type Options, type Plan, plan, type Step } from './plan.ts';

const channel = {
  id: 'c1',
  name: 'Ops',
  type: 'ntfy',
  enabled: true,
  default_for_new_monitors: false,
  broken_at: null,
  broken_reason: null,
  fallback_channel_id: null,
  reminder_minutes: null,
  quiet_hours: null,
  max_messages_per_hour: null,
  updated_at: '2026-11-20T10:00:00Z',
};
const shop = {
  id: 'm1',
  name: 'Shop',
  check_type: 'http',
  enabled: true,
  interval_seconds: 60,
  timeout_ms: 10_000,
  confirm_down_minutes: 1,
  confirm_up_minutes: 3,
  config: { url: 'https://shop.example.com/' },
  secret_names: ['TOKEN'],
  alert_channel_ids: ['c1'],
  updated_at: '2026-11-20T10:00:00Z',
};
const page = {
  id: 'p1',
  name: 'Acme status',
  slug: 'acme',
  description: null,
  theme: 'system',
  primary_color: null,
  logo_light_url: null,
  logo_dark_url: null,
  show_theme_switcher: false,
  enabled: true,
  subscribers_enabled: false,
  show_uptime: true,
  homepage_url: null,
  support_url: null,
  locale: 'en',
  noindex: false,
  custom_domain: null,
  components: [
    {
      type: 'group',
      id: 'g1',
      name: 'Web',
      default_open: null,
      components: [
        { type: 'component', id: 'k1', name: 'Shop', description: null, start_date: null, monitors: [link('m1')] },
      ],
    },
    { type: 'component', id: 'k2', name: 'Mail', description: null, start_date: null, monitors: [] },
  ],
};
const existing: Current = { alert_channel: [channel], monitor: [shop], status_page: [page] };
const nothing: Current = { alert_channel: [], monitor: [], status_page: [] };

const FILE = `
alert_channels:
  - { name: Ops, type: ntfy, config: { topic: acme } }
monitors:
  - name: Shop
    check_type: http
    interval_seconds: 60
    config: { url: "https://shop.example.com/" }
    secrets: { TOKEN: t }
    alert_channels: [Ops]
status_pages:
  - name: Acme status
    slug: acme
    enabled: true
    components:
      - { group: Web, components: [{ component: Shop, monitors: [Shop] }] }
      - component: Mail
`;

function link(id: string) {
  return { monitor_id: id, down_status: 'major_outage' };
}

function planOf(text: string, current: Current, options: Partial<Options> = {}, env: NodeJS.ProcessEnv = {}): Plan {
  const { desired, errors } = load('f', text, env);
  expect(errors).toEqual([]);
  return plan(desired, current, { prune: false, isSent: () => true, ...options });
}

/** Returns the requests of steps, with ids such as `id of monitor Shop`. */
function requestsOf(steps: readonly Step[]) {
  return steps.flatMap(({ tasks }) => tasks.map((task) => task.request((kind, name) => `id of ${kind} ${name}`)));
}

test('nothing is changed if the installation already matches the file', () => {
  expect(planOf(FILE, existing)).toEqual({ steps: [], notes: [], errors: [] });
});

test('missing resources are created after the resources that they refer to', () => {
  const { steps } = planOf(FILE, nothing);
  expect(steps.map(({ action, kind, name }) => [action, kind, name])).toEqual([
    ['create', 'alert_channel', 'Ops'],
    ['create', 'monitor', 'Shop'],
    ['create', 'status_page', 'acme'],
  ]);
  expect(steps.flatMap(({ tasks }) => tasks.map(({ stage }) => stage))).toEqual([0, 2, 3, 4]);
  expect(requestsOf(steps)).toMatchObject([
    { method: 'POST', path: '/alert-channels', body: { name: 'Ops', type: 'ntfy', config: { topic: 'acme' } } },
    {
      method: 'POST',
      path: '/monitors',
      body: {
        name: 'Shop',
        check_type: 'http',
        interval_seconds: 60,
        timeout_ms: 10_000,
        secrets: { TOKEN: 't' },
        alert_channel_ids: [{ channel_id: 'id of alert_channel Ops', after_minutes: 0, events: null }],
      },
    },
    { method: 'POST', path: '/status-pages', body: { name: 'Acme status', slug: 'acme', enabled: true } },
    {
      method: 'PUT',
      path: '/status-pages/id of status_page acme/structure',
      body: {
        components: [
          { type: 'group', name: 'Web', components: [{ name: 'Shop', monitors: [link('id of monitor Shop')] }] },
          { type: 'component', name: 'Mail' },
        ],
      },
    },
  ]);
});

test('only the fields that differ are sent', () => {
  const changed = FILE.replace('interval_seconds: 60', 'interval_seconds: 30').replace('shop.ex', 'www.ex');
  const { steps } = planOf(changed, existing);
  expect(requestsOf(steps)).toEqual([
    {
      method: 'PATCH',
      path: '/monitors/id of monitor Shop',
      body: { interval_seconds: 30, config: { url: 'https://www.example.com/' } },
    },
  ]);
  expect(steps[0]?.changes).toEqual([
    { field: 'interval_seconds', from: 60, to: 30 },
    { field: 'config.url', from: 'https://shop.example.com/', to: 'https://www.example.com/' },
  ]);
});

test('a field that the file leaves out is reset to its default', () => {
  const { steps } = planOf(FILE.replace('    interval_seconds: 60\n', ''), existing);
  expect(requestsOf(steps)).toMatchObject([{ body: { interval_seconds: 180 } }]);
});

test('alert channels, components and domain that the file leaves out stay as they are', () => {
  const current = { ...existing, status_page: [{ ...page, custom_domain: 'status.example.com' }] };
  const less = FILE.replace('    alert_channels: [Ops]\n', '').replace(/ {4}components:[\s\S]*$/, '');
  expect(planOf(less, current).steps).toEqual([]);
});

test("the order of a link's events and the case of a domain do not matter", () => {
  const link = { channel_id: 'c1', after_minutes: 0, events: ['monitor_down', 'monitor_recovered'] };
  const current = {
    ...existing,
    monitor: [{ ...shop, alert_channel_links: [link] }],
    status_page: [{ ...page, custom_domain: 'status.example.com' }],
  };
  const file = FILE.replace('[Ops]', '[{ channel: Ops, events: [monitor_recovered, monitor_down] }]').replace(
    'slug: acme',
    'slug: acme\n    custom_domain: Status.Example.com.',
  );
  expect(planOf(file, current).steps).toEqual([]);
});

test('a custom domain is set with a PUT request and removed with a DELETE request', () => {
  const withDomain = FILE.replace('slug: acme', 'slug: acme\n    custom_domain: status.example.com');
  expect(requestsOf(planOf(withDomain, existing).steps)).toEqual([
    {
      method: 'PUT',
      path: '/status-pages/id of status_page acme/custom-domain',
      body: { domain: 'status.example.com' },
    },
  ]);
  const current = { ...existing, status_page: [{ ...page, custom_domain: 'status.example.com' }] };
  const without = FILE.replace('slug: acme', 'slug: acme\n    custom_domain: null');
  expect(requestsOf(planOf(without, current).steps)).toMatchObject([{ method: 'DELETE' }]);
});

test('an entry of a changed structure keeps its id if its name stays the same, even if it moves to another group', () => {
  const changed = FILE.replace('component: Mail', 'component: Mail\n      - component: New').replace(
    '{ group: Web, components: [{ component: Shop, monitors: [Shop] }] }',
    '{ group: Front, components: [{ component: Shop }] }',
  );
  const { steps } = planOf(changed, existing);
  expect(requestsOf(steps)).toMatchObject([
    {
      method: 'PUT',
      body: {
        components: [
          { type: 'group', name: 'Front', components: [{ id: 'k1', name: 'Shop', monitors: [] }] },
          { id: 'k2', name: 'Mail' },
          { name: 'New' },
        ],
      },
    },
  ]);
  const [{ body } = {}] = requestsOf(steps);
  expect(JSON.stringify(body)).not.toContain('g1');
});

test('the link from a channel to its fallback is set in a second stage, when both channels exist', () => {
  const file = `
alert_channels:
  - { name: A, type: ntfy, config: { topic: a }, fallback_channel: B }
  - { name: B, type: ntfy, config: { topic: b } }
`;
  const { steps } = planOf(file, nothing);
  const [first] = steps;
  expect(first?.tasks.map(({ stage }) => stage)).toEqual([0, 1]);
  expect(requestsOf(steps.slice(0, 1))[1]).toEqual({
    method: 'PATCH',
    path: '/alert-channels/id of alert_channel A',
    body: { fallback_channel_id: 'id of alert_channel B' },
  });
});

test('values that the API does not return are sent unless the record of sent values shows that they are unchanged', () => {
  const { steps } = planOf(FILE, existing, { isSent: () => false });
  expect(requestsOf(steps)).toEqual([
    { method: 'PATCH', path: '/alert-channels/id of alert_channel Ops', body: { config: { topic: 'acme' } } },
    { method: 'PATCH', path: '/monitors/id of monitor Shop', body: { secrets: { TOKEN: 't' } } },
  ]);
  expect(steps.map(({ secretValues }) => secretValues)).toEqual([{ topic: 'acme' }, { TOKEN: 't' }]);
});

test('new secrets are sent, and existing secrets that are not in the file are removed', () => {
  const { steps } = planOf(FILE.replace('TOKEN: t', 'OTHER: o'), existing);
  expect(requestsOf(steps)).toMatchObject([{ body: { secrets: { OTHER: 'o', TOKEN: null } } }]);
});

test('a variable that is not set leaves an existing value unchanged, and is an error if there is no existing value', () => {
  const file = FILE.replace('topic: acme', `topic: "\${TOPIC}"`).replace('TOKEN: t', `TOKEN: "\${TOKEN}"`);
  expect(planOf(file, existing, { isSent: () => false })).toEqual({
    steps: [],
    notes: [
      'alert channel "Ops": its config stays as it is, because TOPIC is not set',
      'monitor "Shop": secrets stays as it is, because TOKEN is not set',
    ],
    errors: [],
  });
  expect(planOf(file, nothing)).toMatchObject({
    steps: [],
    errors: [
      { path: ['alert_channels', 0, 'config', 'topic'], message: expect.stringContaining('TOPIC') },
      { path: ['monitors', 0, 'secrets', 'TOKEN'], message: expect.stringContaining('TOKEN') },
    ],
  });
});

test('a field that an older installation does not return does not count as a difference', () => {
  const { show_uptime: _unknown, ...older } = page;
  const file = FILE.replace('slug: acme', 'slug: acme\n    show_uptime: false');
  expect(planOf(file, { ...existing, status_page: [older] }).steps).toEqual([]);
  expect(planOf(file, existing).steps).toHaveLength(1);
});

test('a broken channel is not enabled again, and a note says why it is broken', () => {
  const broken = { ...channel, enabled: false, broken_at: '2026-11-20T10:00:00Z', broken_reason: '404' };
  expect(planOf(FILE, { ...existing, alert_channel: [broken] })).toMatchObject({
    steps: [],
    notes: ['alert channel "Ops" is broken: 404'],
  });
});

test('--prune deletes pages first and channels last, and only resources of kinds that the file lists; without --prune nothing is deleted', () => {
  expect(planOf('monitors: []', existing).steps).toEqual([]);
  const all = planOf('alert_channels: []\nmonitors: []\nstatus_pages: []', existing, { prune: true });
  expect(requestsOf(all.steps)).toEqual([
    { method: 'DELETE', path: '/status-pages/p1' },
    { method: 'DELETE', path: '/monitors/m1' },
    { method: 'DELETE', path: '/alert-channels/c1' },
  ]);
  const stages = all.steps.flatMap(({ tasks }) => tasks.map(({ stage }) => stage));
  expect(stages).toEqual([...stages].sort((a, b) => a - b));
  const some = planOf('monitors: []', existing, { prune: true });
  expect(some.steps.map(({ kind }) => kind)).toEqual(['monitor']);
});

test.each<[string, string, Current, Partial<Options>, string]>([
  ['an unknown channel', 'alert_channels: [Ops]->alert_channels: [Opps]', existing, {}, 'do you mean "Ops"?'],
  ['an unknown monitor', 'monitors: [Shop]->monitors: [Nope]', existing, {}, 'refers to the monitor "Nope"'],
  [
    'an unknown fallback',
    'type: ntfy->type: ntfy, fallback_channel: X',
    existing,
    {},
    'refers to the alert channel "X"',
  ],
  ['another check type', 'check_type: http->check_type: synthetic', existing, {}, "can't be changed from http"],
  [
    'two resources of a name',
    'a->a',
    { ...existing, monitor: [shop, { ...shop, id: 'm2' }] },
    {},
    'is the name of 2 monitors of the installation (m1, m2)',
  ],
])('%s in a file is an error', (_what, replacement, current, options, message) => {
  const [from = '', to = ''] = replacement.split('->');
  const text = FILE.replace(from, to).replace(
    /synthetic\n[\s\S]*?secrets/,
    'synthetic\n    interval_seconds: 60\n    config: { script: x }\n    secrets',
  );
  const { steps, errors } = planOf(text, current, options);
  expect(steps).toEqual([]);
  expect(errors.map((error) => error.message).join('\n')).toContain(message);
});

test('a reference to something that --prune deletes is an error', () => {
  const file = 'alert_channels: []\nmonitors: [{ name: A, check_type: heartbeat, alert_channels: [Ops] }]';
  expect(planOf(file, existing, { prune: true }).errors).toMatchObject([
    { message: expect.stringContaining('--prune deletes') },
  ]);
  expect(planOf(file, existing).errors).toEqual([]);
});

test('applying an exported file changes nothing in the installation that it comes from, and creates the same resources in an empty one', () => {
  const { text, variables } = exportFile(existing);
  expect(variables).toEqual(['OPS_TOPIC', 'SHOP_TOKEN']);
  const env = { OPS_TOPIC: 'acme', SHOP_TOKEN: 't' };
  expect(planOf(text, existing, {}, env)).toEqual({ steps: [], notes: [], errors: [] });
  expect(planOf(text, existing)).toMatchObject({ steps: [], errors: [] });
  const bodies = requestsOf(planOf(text, nothing, {}, env).steps).map(({ body }) => body as JsonObject);
  expect(bodies).toEqual(requestsOf(planOf(FILE, nothing).steps).map(({ body }) => body));
});

test('an export is refused if two resources have the same name', () => {
  const twice = { ...existing, monitor: [shop, { ...shop, id: 'm2' }] };
  expect(() => exportFile(twice)).toThrow('monitor "Shop": m1, m2');
});
