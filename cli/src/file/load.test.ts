import { expect, test } from 'vitest';
import { load } from './load.ts';

const errorsOf = (text: string, env: NodeJS.ProcessEnv = {}) => load('status.yaml', text, env).errors;

test('load() returns the monitors, channels and pages in a file, with the defaults of the API', () => {
  const { desired, errors, warnings } = load(
    'status.yaml',
    `
alert_channels:
  - name: Ops
    type: slack
    config: { webhook_url: "\${OPS_URL}" }
monitors:
  - name: Shop
    check_type: http
    config: { url: "https://shop.example.com/" }
    alert_channels: [Ops, { channel: Ops, after_minutes: 5 }]
status_pages:
  - name: Acme status
    slug: acme
    components:
      - group: Web
        components:
          - component: Shop
            monitors: [Shop]
      - component: Mail
        monitors: [{ monitor: Shop, down_status: partial_outage }]
`,
    { OPS_URL: 'https://hooks.slack.com/services/T0/B0/x' },
  );
  expect({ errors, warnings }).toEqual({ errors: [], warnings: [] });
  expect(desired).toMatchObject({
    channels: [
      {
        name: 'Ops',
        config: { webhook_url: 'https://hooks.slack.com/services/T0/B0/x' },
        settings: { enabled: true, default_for_new_monitors: false, quiet_hours: null },
        missing: [],
      },
    ],
    monitors: [
      {
        name: 'Shop',
        settings: { interval_seconds: 180, timeout_ms: 10_000, confirm_up_minutes: 3, enabled: true },
        channels: [
          { channel: 'Ops', after_minutes: 0, events: null },
          { channel: 'Ops', after_minutes: 5, events: null },
        ],
      },
    ],
    pages: [
      {
        slug: 'acme',
        settings: { name: 'Acme status', theme: 'system', description: null },
        entries: [
          {
            kind: 'group',
            name: 'Web',
            default_open: null,
            components: [{ name: 'Shop', monitors: [{ monitor: 'Shop', down_status: 'major_outage' }] }],
          },
          { kind: 'component', name: 'Mail', monitors: [{ monitor: 'Shop', down_status: 'partial_outage' }] },
        ],
      },
    ],
  });
});

test('a kind of resource is managed if the file contains a list of it, even an empty list', () => {
  expect(load('f', 'monitors: []', {}).desired).toEqual({ channels: undefined, monitors: [], pages: undefined });
  expect(load('f', 'monitors:', {}).desired.monitors).toEqual([]);
});

test('a synthetic monitor has the settings confirm_down_after and confirm_up_after instead of confirm_down_minutes', () => {
  const file = 'monitors: [{ name: S, check_type: synthetic, config: { script: x } }]';
  const [monitor] = load('f', file, {}).desired.monitors ?? [];
  expect(monitor?.settings).toMatchObject({ confirm_down_after: 3, confirm_up_after: 1 });
  expect(Object.keys(monitor?.settings ?? {})).not.toContain('confirm_down_minutes');
});

test.each([
  ['monitors: [', /^status\.yaml:1:\d+: /],
  ['monitors:\n  - name: A\n    name: B\n', /^status\.yaml:3:5: Map keys must be unique/],
  ['monitor: []', 'status.yaml:1:1: monitor is not known here; do you mean "monitors"?'],
  ['monitors: 5', 'status.yaml:1:11: monitors must be a list or null'],
  [
    'monitors:\n  - check_type: http\n    config: { url: "https://a.example" }',
    'status.yaml:2:5: monitors[0] needs "name"',
  ],
  [
    'monitors:\n  - name: A\n    check_type: htp',
    'status.yaml:2:5: monitors[0] has an unknown "check_type"; it must be one of http, tcp, dns, heartbeat, synthetic; do you mean "http"?',
  ],
  [
    'monitors:\n  - name: A\n    check_type: heartbeat\n    interval_seconds: 29',
    'status.yaml:4:23: monitors[0].interval_seconds must be at least 30; it is 29',
  ],
  [
    'monitors:\n  - name: A\n    check_type: heartbeat\n    interval_seconds: "60"',
    'status.yaml:4:23: monitors[0].interval_seconds must be a whole number: write it without quotes',
  ],
  [
    'monitors:\n  - name: 404\n    check_type: heartbeat',
    'status.yaml:2:11: monitors[0].name must be a text: write "404" in quotes',
  ],
  [
    'monitors:\n  - name: A\n    check_type: heartbeat\n    enabled: yes',
    'status.yaml:4:14: monitors[0].enabled must be true or false; YAML 1.2 reads yes and no as texts',
  ],
  [
    'monitors:\n  - name: A\n    check_type: heartbeat\n    intervall_seconds: 60',
    'status.yaml:4:5: monitors[0].intervall_seconds is not known here; do you mean "interval_seconds"?',
  ],
  [
    'monitors:\n  - name: A\n    check_type: http\n    config: { url: "ftp://a.example" }',
    'status.yaml:4:20: monitors[0].config.url must be an http or https URL',
  ],
  [
    'monitors:\n  - name: A\n    check_type: http\n    config: { url: "https://u:p@a.example" }',
    'status.yaml:4:20: monitors[0].config.url must not contain a user name or password; use a header with a secret',
  ],
  [
    'monitors:\n  - name: A\n    check_type: tcp\n    config: { host: "https://a.example", port: 443 }',
    'status.yaml:4:21: monitors[0].config.host must be a host name or an IP address such as shop.example.com, without a scheme or a port',
  ],
  [
    'alert_channels:\n  - name: A\n    type: pagerduty\n    config: { integration_key: short }',
    'status.yaml:4:32: alert_channels[0].config.integration_key must be 32 letters and digits',
  ],
  [
    'monitors:\n  - name: A\n    check_type: http\n    config:\n      url: https://a.example\n      body: "{{TOKEN}}"',
    'status.yaml:6:13: monitors[0].config.body uses {{TOKEN}}, which is not among the secrets of the monitor',
  ],
  [
    'monitors:\n  - { name: A, check_type: heartbeat }\n  - { name: A, check_type: heartbeat }',
    'status.yaml:3:13: monitors[1].name is "A" like that of monitors[0]; it must be unique',
  ],
  [
    'status_pages:\n  - name: A\n    slug: Acme',
    'status.yaml:3:11: status_pages[0].slug must be lowercase letters, digits and hyphens, and must not start or end with a hyphen',
  ],
  [
    'status_pages:\n  - name: A\n    slug: acme\n    components: [{ name: Shop }]',
    'status.yaml:4:18: status_pages[0].components[0] needs one of "group" and "component"',
  ],
])('the file %j causes one error, which contains the position and the reason', (text, message) => {
  const errors = errorsOf(text);
  expect(errors).toHaveLength(1);
  if (typeof message === 'string') expect(errors[0]).toBe(message);
  else expect(errors[0]).toMatch(message);
});

test('all errors in a file are reported at once', () => {
  const file = 'monitors:\n  - { name: A, check_type: tcp, config: { port: 0 }, timeout_ms: 1 }';
  expect(errorsOf(file)).toEqual([
    expect.stringContaining('config needs "host"'),
    expect.stringContaining('config.port must be at least 1; it is 0'),
    expect.stringContaining('timeout_ms must be at least 1000; it is 1'),
  ]);
});

test('an unknown field of a config is a warning, because the API stores it', () => {
  const file = 'monitors: [{ name: A, check_type: http, config: { url: "https://a.example", methd: GET } }]';
  expect(load('f', file, {})).toMatchObject({
    errors: [],
    warnings: ['f:1:77: monitors[0].config.methd is not known and has no effect; do you mean "method"?'],
  });
});

test('a variable that is not set is reported as missing, and causes no other error', () => {
  const file = `
alert_channels:
  - { name: Ops, type: webhook, config: { url: "\${URL}" } }
monitors:
  - name: A
    check_type: http
    config: { url: "https://a.example", headers: { x: "{{TOKEN}}" } }
    secrets: { TOKEN: "\${TOKEN}" }
`;
  const { desired, errors } = load('f', file, {});
  expect(errors).toEqual([]);
  expect(desired.channels?.[0]?.missing).toEqual([{ name: 'URL', path: ['alert_channels', 0, 'config', 'url'] }]);
  expect(desired.monitors?.[0]?.missing).toEqual([
    { name: 'TOKEN', path: ['monitors', 0, 'secrets', 'TOKEN'], secret: 'TOKEN' },
  ]);
  const url = 'nonsense';
  expect(load('f', file, { URL: url, TOKEN: 't' }).errors[0]).not.toContain(url);
});

test.each(['2001:db8::1', '192.0.2.1', 'a.example', 'localhost'])('%s is accepted as a host', (host) => {
  const monitor = { name: 'A', check_type: 'tcp', config: { host, port: 1 } };
  expect(errorsOf(JSON.stringify({ monitors: [monitor] }))).toEqual([]);
});

test('a file can use anchors and merge keys, and its errors have the correct line and column', () => {
  const file = `
monitors:
  - &base
    name: A
    check_type: tcp
    config: { host: a.example, port: 1 }
  - <<: *base
    name: B
    timeout_ms: 0
`;
  expect(errorsOf(file)).toEqual(['status.yaml:9:17: monitors[1].timeout_ms must be at least 1000; it is 0']);
});
