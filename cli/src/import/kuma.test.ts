import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { runCommand } from '../../test/harness.ts';
import { load } from '../file/load.ts';
import { importKuma, readKumaBackup } from './kuma.ts';

/** A backup in the format of version 1.23. */
const backup = {
  version: '1.23.13',
  notificationList: [
    {
      id: 1,
      name: 'Ops Slack',
      active: true,
      isDefault: true,
      userId: 1,
      config: JSON.stringify({
        name: 'Ops Slack',
        type: 'slack',
        slackwebhookURL: 'https://hooks.slack.com/services/T0/B0/x',
        slackchannel: '#ops',
      }),
    },
    { id: 2, name: 'Gotify', active: true, isDefault: false, config: JSON.stringify({ type: 'gotify' }) },
    {
      id: 3,
      name: 'Mail',
      active: true,
      isDefault: false,
      config: JSON.stringify({ type: 'smtp', smtpHost: 'mail.example.com', smtpTo: 'a@example.com, b@example.com' }),
    },
  ],
  monitorList: [
    {
      id: 1,
      name: 'Shop',
      type: 'keyword',
      url: 'https://shop.example.com/',
      method: 'GET',
      interval: 60,
      retryInterval: 30,
      maxretries: 3,
      timeout: 48,
      active: true,
      keyword: 'Welcome',
      accepted_statuscodes: ['200-202', '301'],
      maxredirects: 10,
      ignoreTls: true,
      notificationIDList: { 1: true, 2: true },
      basic_auth_user: 'kuma',
      basic_auth_pass: 'pass',
      headers: '{"accept": "text/html"}',
      tags: [{ name: 'prod' }],
    },
    {
      id: 2,
      name: 'Shop',
      type: 'port',
      hostname: 'db.example.com',
      port: 5432,
      interval: 20,
      maxretries: 0,
      active: false,
      notificationIDList: {},
    },
    {
      id: 3,
      name: 'Name',
      type: 'dns',
      hostname: 'example.com',
      dns_resolve_server: '1.1.1.1',
      dns_resolve_type: 'MX',
      port: 53,
      interval: 300,
      notificationIDList: { 3: true },
    },
    { id: 4, name: 'Nightly backup', type: 'push', interval: 86_400, pushToken: 'abc', notificationIDList: {} },
    { id: 5, name: 'NAS', type: 'ping', hostname: 'nas.example.com', interval: 60, notificationIDList: {} },
    { id: 6, name: 'Redis', type: 'redis', interval: 60, notificationIDList: {} },
    { id: 7, name: 'Not up', type: 'http', url: 'https://a.example', upsideDown: true, notificationIDList: {} },
  ],
  proxyList: [{ id: 1 }],
};

test('a backup is converted to a valid file with its monitors and notifications', async () => {
  const { content, report } = importKuma(readKumaBackup(backup));
  const { errors, warnings } = load('f', JSON.stringify(content), {});
  expect({ errors, warnings }).toEqual({ errors: [], warnings: [] });
  expect(content.alert_channels).toEqual([
    {
      name: 'Ops Slack',
      type: 'slack',
      config: { webhook_url: 'https://hooks.slack.com/services/T0/B0/x' },
      default_for_new_monitors: true,
    },
    { name: 'Mail', type: 'email', config: { recipients: ['a@example.com', 'b@example.com'] } },
  ]);
  expect(content.monitors).toEqual([
    {
      name: 'Shop',
      check_type: 'http',
      config: {
        url: 'https://shop.example.com/',
        headers: { accept: 'text/html', authorization: 'Basic {{BASIC_AUTH}}' },
        expected_status_codes: [200, 201, 202, 301],
        expected_keyword: 'Welcome',
        verify_tls: false,
      },
      secrets: { BASIC_AUTH: Buffer.from('kuma:pass').toString('base64') },
      interval_seconds: 60,
      timeout_ms: 48_000,
      confirm_down_minutes: 2,
      confirm_up_minutes: 0,
      alert_channels: ['Ops Slack'],
    },
    {
      name: 'Shop (2)',
      check_type: 'tcp',
      config: { host: 'db.example.com', port: 5432 },
      interval_seconds: 30,
      confirm_down_minutes: 0,
      confirm_up_minutes: 0,
      enabled: false,
      alert_channels: [],
    },
    {
      name: 'Name',
      check_type: 'dns',
      config: { host: 'example.com', record_type: 'MX', nameserver: '1.1.1.1' },
      interval_seconds: 300,
      confirm_down_minutes: 0,
      confirm_up_minutes: 0,
      alert_channels: ['Mail'],
    },
    {
      name: 'Nightly backup',
      check_type: 'heartbeat',
      config: { expected_interval: 86_400 },
      interval_seconds: 86_400,
      confirm_down_minutes: 0,
      confirm_up_minutes: 0,
      alert_channels: [],
    },
  ]);
  expect(report.describe()).toBe(`Not carried over: 5
  1 × there are no alert channels of type gotify: "Gotify"
  1 × there are no ping checks; a tcp monitor is similar: "NAS"
  1 × there are no redis checks: "Redis"
  1 × there are no inverted monitors: "Not up"
  1 × has no counterpart: proxy
Different from before: 6
  1 × the webhook decides the channel: "Ops Slack"
  1 × mails are sent by the mail server of Tocsin: "Mail"
  1 × tags are left out: "Shop"
  1 × links to alert channels that are missing: "Shop"
  1 × checked every 30 seconds, which is the shortest interval: "Shop (2)"
  1 × the URL that the job calls is another one: "Nightly backup"
`);
});

test.each([
  [{ body: '{"a": 1}' }, { 'content-type': 'application/json' }],
  [{ body: 'a=1', httpBodyEncoding: 'form' }, { 'content-type': 'application/x-www-form-urlencoded' }],
  [
    { body: '{}', headers: '{"Content-Type": "application/vnd.api+json"}' },
    { 'content-type': 'application/vnd.api+json' },
  ],
  [{ headers: 'not JSON' }, undefined],
])('the headers of an imported monitor with %j are %j', (fields, headers) => {
  const monitor = { id: 1, name: 'A', type: 'http', url: 'https://a.example', method: 'POST', interval: 60, ...fields };
  const { content } = importKuma(readKumaBackup({ monitorList: [monitor] }));
  expect(content.monitors[0]?.config).toEqual({
    url: 'https://a.example',
    method: 'POST',
    ...(headers && { headers }),
    ...('body' in fields && { body: fields.body }),
  });
});

test('the status pages in a database are imported', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-cli-'));
  const file = join(folder, 'kuma.db');
  const database = new DatabaseSync(file);
  database.exec(`
    CREATE TABLE monitor (id INTEGER, name TEXT, active BOOLEAN, interval INTEGER, url TEXT, type TEXT, hostname TEXT,
      port INTEGER, keyword TEXT, maxretries INTEGER, ignore_tls BOOLEAN, upside_down BOOLEAN, maxredirects INTEGER,
      accepted_statuscodes_json TEXT, retry_interval INTEGER, method TEXT, timeout DOUBLE, proxy_id INTEGER);
    INSERT INTO monitor VALUES (1, 'Shop', 1, 60, 'https://shop.example.com/', 'http', NULL, NULL, NULL, 2, 0, 0, 0,
      '["200-299"]', 60, 'HEAD', 48, NULL);
    INSERT INTO monitor VALUES (2, 'Docker', 1, 60, NULL, 'docker', NULL, NULL, NULL, 0, 0, 0, 10, '[]', 60, 'GET', 0, NULL);
    CREATE TABLE notification (id INTEGER, name TEXT, config TEXT, active BOOLEAN, user_id INTEGER, is_default BOOLEAN);
    INSERT INTO notification VALUES (7, 'ntfy', '{"type":"ntfy","ntfytopic":"acme","ntfyserverurl":"https://ntfy.sh"}', 1, 1, 1);
    CREATE TABLE monitor_notification (id INTEGER, monitor_id INTEGER, notification_id INTEGER);
    INSERT INTO monitor_notification VALUES (1, 1, 7);
    CREATE TABLE status_page (id INTEGER, slug TEXT, title TEXT, description TEXT, theme TEXT, published BOOLEAN,
      search_engine_index BOOLEAN, custom_css TEXT);
    INSERT INTO status_page VALUES (1, 'acme', 'Acme', 'All our services', 'auto', 1, 0, 'body {}');
    CREATE TABLE "group" (id INTEGER, name TEXT, public BOOLEAN, weight INTEGER, status_page_id INTEGER);
    INSERT INTO "group" VALUES (1, 'Second', 1, 2, 1), (2, 'First', 1, 1, 1);
    CREATE TABLE monitor_group (id INTEGER, monitor_id INTEGER, group_id INTEGER, weight INTEGER);
    INSERT INTO monitor_group VALUES (1, 1, 2, 1), (2, 2, 2, 2);
    CREATE TABLE status_page_cname (id INTEGER, status_page_id INTEGER, domain TEXT);
    INSERT INTO status_page_cname VALUES (1, 1, 'status.example.com');
    CREATE TABLE incident (id INTEGER); INSERT INTO incident VALUES (1), (2);
  `);
  database.close();
  try {
    const output = join(folder, 'status.yaml');
    const { code, stderr } = await runCommand(['import', 'kuma', file, '-o', output], {});
    expect(code).toBe(0);
    expect(stderr).toContain('Carried over: 1 monitor, 1 alert channel, 1 status page.');
    expect(stderr).toContain('2 × has no counterpart: incident, incident');
    expect(stderr).toContain('there are no docker checks: "Docker"');
    expect(stderr).toContain('status.example.com');
    expect(stderr).toContain('custom_css is left out: "Acme"');
    const { errors, desired } = load('f', await readFile(output, 'utf8'), {});
    expect(errors).toEqual([]);
    expect(desired).toMatchObject({
      channels: [{ name: 'ntfy', settings: { default_for_new_monitors: true } }],
      monitors: [
        {
          name: 'Shop',
          settings: { config: { url: 'https://shop.example.com/', method: 'HEAD', follow_redirects: false } },
          channels: [{ channel: 'ntfy' }],
        },
      ],
      pages: [
        {
          slug: 'acme',
          settings: { name: 'Acme', enabled: true, theme: 'system', noindex: true },
          entries: [
            { name: 'First', components: [{ name: 'Shop', monitors: [{ monitor: 'Shop' }] }] },
            { name: 'Second', components: [] },
          ],
        },
      ],
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a database of version 2.5 is converted to a valid file without the monitor types that Tocsin does not support', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-cli-'));
  try {
    const file = join(folder, 'kuma.db');
    const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
    database.exec(await readFile(join(import.meta.dirname, '../../test/real-files/kuma.sql'), 'utf8'));
    database.close();
    const output = join(folder, 'status.yaml');
    const { code, stderr } = await runCommand(['import', 'kuma', file, '-o', output], {});
    expect(code).toBe(0);
    expect(stderr).toContain('Carried over: 9 monitors, 8 alert channels, 1 status page.\nNot carried over: 11\n');
    const { errors, desired } = load('f', await readFile(output, 'utf8'), {});
    expect(errors).toEqual([]);
    expect(desired.monitors?.map(({ name, checkType }) => [name, checkType])).toEqual([
      ['Website', 'http'],
      ['Basic', 'http'],
      ['Keyword', 'http'],
      ['No errors', 'http'],
      ['Json', 'http'],
      ['Mail', 'tcp'],
      ['Records', 'dns'],
      ['Backup', 'heartbeat'],
      ['Child', 'http'],
    ]);
    expect(desired.monitors?.[0]?.channels).toMatchObject([{ channel: 'Slack' }, { channel: 'Mail' }]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a file from another program is refused', async () => {
  const ran = await runCommand(['import', 'kuma', join(import.meta.dirname, '../../package.json')], {});
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('contains no monitors of Uptime Kuma') });
});
