import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFakeApi } from '../../cli/test/harness.ts';
import { signIn } from '../visitor.ts';
import { type Fixture, startFixture } from './fixture.ts';

const MAIN = join(import.meta.dirname, '../../cli/src/main.ts');
const SCOPES = ['monitors', 'status_pages', 'alert_channels', 'incidents'].map((name) => `${name}:read_write`);

let fixture: Fixture;
let folder = '';

beforeAll(async () => {
  fixture = await startFixture();
  folder = await mkdtemp(join(tmpdir(), 'tocsin-cli-'));
});
afterAll(async () => {
  await fixture?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Starts the command with a separate configuration folder. */
function start(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return spawn(process.execPath, [MAIN, ...args], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      TOCSIN_CONFIG_DIR: join(folder, 'config'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function tocsin(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = start(args, env);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

/** Runs a command that prints JSON. */
async function json<Result>(...args: string[]): Promise<Result> {
  const { code, stdout, stderr } = await tocsin([...args, '--json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Result;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/**
 * Returns the API's representation of everything that an exported file describes, with names instead of ids and without
 * times.
 */
async function described() {
  const { api } = fixture.network;
  const channels = await api.get<Named[]>('/alert-channels');
  const monitors = await api.get<Named[]>('/monitors');
  const summaries = await api.get<Named[]>('/status-pages');
  const pages = await Promise.all(summaries.map(({ id }) => api.get<Named>(`/status-pages/${id}`)));
  const names = new Map([...channels, ...monitors].map(({ id, name }) => [id, name]));
  const hidden = ['id', 'inserted_at', 'updated_at', 'component_group_id', 'heartbeat_token', 'heartbeat_url'];
  // States depend on checks, and some checks have not run yet.
  const live = ['status', 'current_state'];
  const plain = (value: unknown): unknown => {
    if (typeof value === 'string') return names.get(value) ?? value;
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value).filter(([key]) => ![...hidden, ...live].includes(key));
    return Object.fromEntries(fields.map(([key, inner]) => [key, plain(inner)]));
  };
  const sorted = (items: readonly Named[]) => [...items].sort((a, b) => (a.name < b.name ? -1 : 1)).map(plain);
  return { channels: sorted(channels), monitors: sorted(monitors), pages: sorted(pages) };
}

async function wipe(): Promise<void> {
  const file = join(folder, 'empty.yaml');
  await writeFile(file, 'alert_channels: []\nmonitors: []\nstatus_pages: []\n');
  expect(await tocsin(['apply', '-f', file, '--prune'])).toMatchObject({ code: 0 });
  expect(await described()).toEqual({ channels: [], monitors: [], pages: [] });
}

test('a user signs in with a browser', async () => {
  const { network } = fixture;
  const child = start(['login', '--url', network.baseUrl]);
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const closed = once(child, 'close');
  await eventually(async () => expect(stderr).toContain('confirm the code'));
  const code = /confirm the code (\S+)\./.exec(stderr)?.[1] ?? '';
  const owner = await signIn(network);
  const organization = network.installation.bootstrap.organization.uuid;
  const form = new URLSearchParams({ user_code: code, decision: 'allow', organization });
  for (const scope of SCOPES) form.append('scope', scope);
  expect(await owner.post('/oauth/device', form)).toMatchObject({ status: 200 });
  expect(await closed).toEqual([0, null]);
  expect(stderr).toContain('Signed in to');
  const me = await json<{ credential: { kind: string; permissions: string[] } }>('whoami');
  expect(me.credential.kind).toBe('oauth');
  expect([...me.credential.permissions].sort()).toEqual([...SCOPES].sort());
});

test('resources are created, listed, changed and deleted', async () => {
  const { target } = fixture;
  const args = ['name=Shop', 'check_type=http', `config.url=${target.url}`, 'interval_seconds=30'];
  const shop = await json<Named>('monitors', 'create', ...args, 'confirm_up_minutes=0');
  expect(await json('monitors', 'get', 'Shop')).toMatchObject({ id: shop.id, config: { url: target.url } });
  expect(await tocsin(['monitors', 'list', '--check-type', 'http'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^NAME\s+STATE.*\nShop\s/),
  });
  expect(await tocsin(['wait-up', 'Shop', '--interval', '1s'])).toMatchObject({ code: 0 });
  expect(await json('monitors', 'check', 'Shop')).toMatchObject([{ outcome: 'pass' }]);
  expect(await json('monitors', 'update', 'Shop', 'name=Store')).toMatchObject({ id: shop.id, name: 'Store' });
  expect(await tocsin(['monitors', 'update', 'Store', 'interval_seconds=1'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('interval_seconds must be between 30 and 86400'),
  });
  expect(await tocsin(['monitors', 'delete', 'Store'])).toMatchObject({ code: 0 });
  expect(await json('monitors', 'list')).toEqual([]);
  const webhook = await json<Named>('webhooks', 'create', `url=${fixture.receiver.url}`, 'events=monitor.created');
  expect(await tocsin(['webhooks', 'delete', webhook.id])).toMatchObject({ code: 0 });
});

test('a maintenance is started and ended', async () => {
  const page = await json<Named>('pages', 'create', 'name=Works', 'slug=works', 'enabled=true');
  await fixture.network.api.put(`/status-pages/${page.id}/structure`, {
    components: [{ type: 'group', name: 'Web', components: [{ type: 'component', name: 'Shop' }] }],
  });
  const started = await tocsin([
    'maintenance',
    'start',
    'Upgrade',
    '--page',
    'works',
    '--component',
    'Web/Shop',
    '--for',
    '1h',
  ]);
  expect(started).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/) });
  expect(await json('disruptions', 'get', started.stdout.trim())).toMatchObject({
    type: 'maintenance',
    status: 'in_progress',
    affected_components: [{ name: 'Shop', status: 'under_maintenance' }],
  });
  expect(await tocsin(['maintenance', 'end', 'Upgrade', '-m', 'Done.'])).toMatchObject({ code: 0 });
  expect(await json('disruptions', 'get', started.stdout.trim())).toMatchObject({ status: 'completed' });
  expect(await tocsin(['pages', 'delete', 'works'])).toMatchObject({ code: 0 });
});

test('a page from Statuspage is imported with its history, and a second import of the history adds nothing', async () => {
  const component = { id: 'c', name: 'Shop', group: false, group_id: null, position: 1, status: 'operational' };
  const page = { name: 'Old page', url: 'https://old.example.com' };
  const updates = [
    { status: 'postmortem', body: 'What we learned', created_at: '2024-03-02T09:00:00.000Z' },
    { status: 'resolved', body: 'All is well.', created_at: '2024-03-01T11:00:00.000Z' },
    { status: 'investigating', body: 'We look into it.', created_at: '2024-03-01T10:05:00.000Z' },
  ];
  const incident = { name: 'Slow checkout', status: 'postmortem', impact: 'major', components: [component] };
  const works = {
    name: 'New database',
    status: 'completed',
    impact: 'maintenance',
    scheduled_for: '2024-02-02T21:00:00.000Z',
    components: [component],
    incident_updates: [
      { status: 'completed', body: 'Done.', created_at: '2024-02-02T22:00:00.000Z' },
      { status: 'scheduled', body: 'Planned.', created_at: '2024-02-01T08:00:00.000Z' },
    ],
  };
  const documents: Readonly<Record<string, object>> = {
    summary: { page, components: [component] },
    incidents: {
      incidents: [{ ...incident, started_at: '2024-03-01T10:00:00.000Z', incident_updates: updates }],
    },
    'scheduled-maintenances': { scheduled_maintenances: [works] },
  };
  await using old = await startFakeApi(({ path }) => ({
    body: documents[path.slice('/api/v2/'.length, -'.json'.length)],
  }));
  const file = join(folder, 'old.yaml');
  expect(await tocsin(['import', 'statuspage', old.url, '-o', file])).toMatchObject({ code: 0 });
  expect(await tocsin(['apply', '-f', file])).toMatchObject({ code: 0, stderr: '' });
  const history = ['import', 'statuspage-history', old.url, '--page', 'old-page'];
  expect(await tocsin(history)).toEqual({ code: 0, stdout: '', stderr: 'Entered: 2. There already: 0.\n' });
  expect(await tocsin(history)).toMatchObject({ code: 0, stderr: 'Entered: 0. There already: 2.\n' });
  const entered = await json<{ title: string }[]>('disruptions', 'list');
  expect(entered.find(({ title }) => title === 'Slow checkout')).toMatchObject({
    status: 'resolved',
    impact: 'major',
    started_at: '2024-03-01T10:00:00Z',
    resolved_at: '2024-03-01T11:00:00Z',
    updates: [{ body: 'What we learned' }, { body: 'All is well.' }, { body: 'We look into it.' }],
    affected_components: [{ name: 'Shop' }],
  });
  expect(entered.find(({ title }) => title === 'New database')).toMatchObject({
    type: 'maintenance',
    status: 'completed',
    started_at: '2024-02-02T21:00:00Z',
    resolved_at: '2024-02-02T22:00:00Z',
  });
});

test('an exported file restores all resources after they were deleted', async () => {
  const { target, receiver } = fixture;
  await wipe();
  const file = join(folder, 'status.yaml');
  await writeFile(file, fileFor(target.url));
  const env = { HOOK_URL: receiver.url, TOKEN: 's3cret' };
  const planned = await tocsin(['plan', '-f', file, '--exit-code'], env);
  expect(planned).toMatchObject({ code: 5, stdout: expect.stringContaining('8 changes: 8 to create.') });
  expect(await tocsin(['apply', '-f', file], env)).toMatchObject({ code: 0, stderr: '' });
  const before = await described();
  expect(await tocsin(['apply', '-f', file], env)).toEqual({ code: 0, stdout: 'No changes.\n', stderr: '' });

  const exported = join(folder, 'exported.yaml');
  expect(await tocsin(['export', '-o', exported])).toMatchObject({ code: 0 });
  expect(await tocsin(['plan', '-f', exported])).toMatchObject({ code: 0, stdout: 'No changes.\n' });
  await wipe();
  const variables = {
    HOOK_URL: receiver.url,
    SPARE_URL: receiver.url,
    SHOP_TOKEN: 's3cret',
  };
  expect(await tocsin(['apply', '-f', exported], variables)).toMatchObject({ code: 0, stderr: '' });
  expect(await described()).toEqual(before);
  const again = join(folder, 'again.yaml');
  await tocsin(['export', '-o', again]);
  expect(await readFile(again, 'utf8')).toBe(await readFile(exported, 'utf8'));
});

test('changes to the file are applied, and an invalid file changes nothing', async () => {
  const file = join(folder, 'status.yaml');
  const env = { HOOK_URL: fixture.receiver.url, TOKEN: 's3cret' };
  const before = await described();
  await writeFile(file, fileFor(fixture.target.url).replace('interval_seconds: 60', 'interval_seconds: 20'));
  expect(await tocsin(['apply', '-f', file, '--prune'], env)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(`${file}:14:23: monitors[0].interval_seconds must be at least 30; it is 20`),
  });
  expect(await described()).toEqual(before);

  const changed = fileFor(fixture.target.url)
    .replace('interval_seconds: 60', 'interval_seconds: 90')
    .replace('description: What customers see', 'description: null')
    .replace('component: Mail', 'component: Mail server')
    .replace(/ {2}- name: Spare\n.*\n.*\n/, '')
    .replace('    fallback_channel: Spare\n', '')
    .replace(/\[Hook, .*/, '[Hook]');
  await writeFile(file, changed);
  expect(await tocsin(['apply', '-f', file, '--prune'], env)).toMatchObject({ code: 0 });
  const after = await described();
  expect(after).toMatchObject({
    channels: [{ name: 'Hook', fallback_channel_id: null }],
    monitors: expect.arrayContaining([expect.objectContaining({ name: 'Shop', interval_seconds: 90 })]),
    pages: [{ components: [{ components: [{ name: 'Shop', description: null }] }, { name: 'Mail server' }] }],
  });
  expect(await tocsin(['apply', '-f', file, '--prune'], env)).toMatchObject({ stdout: 'No changes.\n' });
});

test('if apply is killed, the next apply completes the changes', async () => {
  await wipe();
  const count = 60;
  const monitors = Array.from({ length: count }, (_, index) => `  - { name: M${index}, check_type: heartbeat }\n`);
  const components = monitors.map((_, index) => `      - { component: C${index}, monitors: [M${index}] }\n`);
  const file = join(folder, 'many.yaml');
  const page = `status_pages:\n  - name: Many\n    slug: many\n    components:\n${components.join('')}`;
  await writeFile(file, `monitors:\n${monitors.join('')}${page}`);
  const child = start(['apply', '-f', file]);
  const closed = once(child, 'close');
  const { api } = fixture.network;
  let made = 0;
  await eventually(async () => {
    made = (await api.get<Named[]>('/monitors')).length;
    expect(made).toBeGreaterThan(5);
  });
  child.kill('SIGKILL');
  await closed;
  made = (await api.get<Named[]>('/monitors')).length;
  expect(made).toBeLessThan(count);
  expect(await tocsin(['apply', '-f', file])).toMatchObject({ code: 0 });
  const { monitors: all, pages } = await described();
  expect(all.map((monitor) => (monitor as Named).name).sort()).toEqual(monitors.map((_, index) => `M${index}`).sort());
  expect((pages[0] as { components: unknown[] }).components).toHaveLength(count);
  expect(await tocsin(['plan', '-f', file, '--exit-code'])).toMatchObject({ code: 0, stdout: 'No changes.\n' });
});

test('after logout, commands and the previous access token are rejected', async () => {
  const settings = JSON.parse(await readFile(join(folder, 'config', 'config.json'), 'utf8'));
  const { accessToken } = settings.credentials[fixture.network.baseUrl];
  expect(await tocsin(['logout'])).toMatchObject({ code: 0 });
  expect(await tocsin(['monitors', 'list', '--url', fixture.network.baseUrl])).toMatchObject({ code: 4 });
  const env = { TOCSIN_API_KEY: accessToken, TOCSIN_URL: fixture.network.baseUrl };
  await eventually(async () => expect(await tocsin(['whoami'], env)).toMatchObject({ code: 4 }));
});

function fileFor(url: string): string {
  return `alert_channels:
  - name: Hook
    type: webhook
    config: { url: "\${HOOK_URL}" }
    reminder_minutes: 30
    fallback_channel: Spare
  - name: Spare
    type: webhook
    config: { url: "\${HOOK_URL}" }
monitors:
  - name: Shop
    check_type: http
    config: { url: "${url}", headers: { x-token: "{{TOKEN}}" }, expected_status_codes: [200] }
    interval_seconds: 60
    secrets: { TOKEN: "\${TOKEN}" }
    alert_channels: [Hook, { channel: Spare, after_minutes: 10, events: [monitor_down] }]
  - name: Database
    check_type: tcp
    config: { host: 127.0.0.1, port: 9 }
    enabled: false
  - name: Backup
    check_type: heartbeat
    config: { expected_interval: 3600 }
  - name: Name
    check_type: dns
    config: { host: example.com, record_type: MX }
    enabled: false
  - name: Login
    check_type: synthetic
    enabled: false
    config:
      script: |
        await page.goto('https://shop.example.com/');
        console.log(\`\${page.url()}\`);
status_pages:
  - name: Acme status
    slug: acme-command-line
    description: Our services
    enabled: true
    primary_color: "#1a2b3c"
    components:
      - group: Web
        default_open: true
        components:
          - component: Shop
            description: What customers see
            monitors: [Shop, { monitor: Database, down_status: partial_outage }]
      - component: Mail
        start_date: 2026-11-20
`;
}
