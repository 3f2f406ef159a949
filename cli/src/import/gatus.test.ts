import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { load } from '../file/load.ts';
import { importGatus, parseGatus } from './gatus.ts';
import { conditionsOf } from './gatus-conditions.ts';

const config = parseGatus(`
alerting:
  slack:
    webhook-url: "\${SLACK_URL}"
    default-alert:
      failure-threshold: 5
      send-on-resolved: true
  gotify:
    server-url: https://gotify.example.com
ui:
  header: Acme status
endpoints:
  - name: website
    group: core
    url: https://www.example.com/health
    interval: 5m
    headers: { accept: text/html }
    client: { insecure: true, ignore-redirect: true, timeout: 5s }
    conditions:
      - "[STATUS] == any(200, 204)"
      - "[RESPONSE_TIME] < 300"
      - "[CERTIFICATE_EXPIRATION] > 48h"
      - "[BODY] == pat(*Welcome*)"
      - "[BODY].status == UP"
    alerts:
      - type: slack
      - type: gotify
  - name: database
    url: tcp://db.example.com:5432
    interval: 10s
    conditions: ["[CONNECTED] == true"]
    alerts:
      - type: slack
        send-on-resolved: false
        failure-threshold: 1
        success-threshold: 1
  - name: name
    group: core
    url: 8.8.8.8
    enabled: false
    dns: { query-name: example.com, query-type: MX }
    conditions: ["[BODY] == 10 mail.example.com", "[BODY] == pat(*mail*)", "[RESPONSE_TIME] < 100", "[DNS_RCODE] == NOERROR"]
  - name: ping
    url: icmp://example.com
    conditions: ["[CONNECTED] == true"]
  - name: rpc
    url: example.com:443
    grpc: { service: grpc.health.v1.Health }
    conditions: []
external-endpoints:
  - name: backup
    token: x
    heartbeat: { interval: 24h }
  - name: pushed
    token: x
maintenance: { start: "23:00", duration: 1h }
`);

test('endpoints become a valid file with a page', () => {
  const { content, report } = importGatus(config);
  const { errors, warnings } = load('f', JSON.stringify(content), {
    SLACK_URL: 'https://hooks.slack.com/services/T/B/x',
  });
  expect({ errors, warnings }).toEqual({ errors: [], warnings: [] });
  expect(content).toEqual({
    alert_channels: [{ name: 'slack', type: 'slack', config: { webhook_url: `\${SLACK_URL}` } }],
    monitors: [
      {
        name: 'website',
        check_type: 'http',
        config: {
          url: 'https://www.example.com/health',
          headers: { accept: 'text/html' },
          expected_status_codes: [200, 204],
          expected_keyword: 'Welcome',
          max_response_time_ms: 300,
          follow_redirects: false,
          verify_tls: false,
        },
        interval_seconds: 300,
        timeout_ms: 5_000,
        confirm_down_minutes: 20,
        confirm_up_minutes: 5,
        alert_channels: ['slack'],
      },
      {
        name: 'database',
        check_type: 'tcp',
        config: { host: 'db.example.com', port: 5432 },
        interval_seconds: 30,
        confirm_down_minutes: 0,
        confirm_up_minutes: 0,
        alert_channels: [{ channel: 'slack', events: ['monitor_down', 'monitor_stale', 'cert_expiring'] }],
      },
      {
        name: 'name',
        check_type: 'dns',
        config: {
          host: 'example.com',
          record_type: 'MX',
          nameserver: '8.8.8.8',
          expected_records: ['10 mail.example.com'],
        },
        interval_seconds: 60,
        enabled: false,
        alert_channels: [],
      },
      {
        name: 'backup',
        check_type: 'heartbeat',
        config: { expected_interval: 86_400 },
        interval_seconds: 86_400,
        alert_channels: [],
      },
    ],
    status_pages: [
      {
        name: 'Acme status',
        slug: 'acme-status',
        enabled: true,
        components: [
          {
            group: 'core',
            components: [
              { component: 'website', monitors: ['website'] },
              { component: 'name', monitors: ['name'] },
            ],
          },
          { component: 'database', monitors: ['database'] },
          { component: 'backup', monitors: ['backup'] },
        ],
      },
    ],
  });
  expect(report.describe()).toBe(`Not carried over: 5
  1 × there are no alert channels of this type: "gotify"
  1 × sections without a counterpart: maintenance
  1 × there are no icmp checks: "ping"
  1 × there are no grpc checks: "rpc"
  1 × external endpoints without heartbeat.interval: "pushed"
Different from before: 7
  1 × alerts 28, 14, 7, 1 and 0 days before the certificate expires replace the condition [CERTIFICATE_EXPIRATION] > 48h: "website"
  1 × the condition [BODY].status == UP is not checked: "website"
  1 × no alerts go to gotify, of which there is no alert channel: "website"
  1 × checked every 30 seconds, which is the shortest interval: "database"
  1 × the condition [BODY] == pat(*mail*) is not checked: "name"
  1 × the condition [RESPONSE_TIME] < 100 is not checked: "name"
  1 × the job calls another URL: "backup"
`);
});

test.each([
  ['[STATUS] == 200', { statuses: [200] }],
  ['[STATUS] < 203', { statuses: [200, 201, 202] }],
  ['[STATUS] == pat(20*)', { statuses: [200, 201, 202, 203, 204, 205, 206, 207, 208, 209] }],
  ['[STATUS] == pat(*2)', { lost: ['[STATUS] == pat(*2)'] }],
  ['[RESPONSE_TIME] <= 500', { maxResponseTimeMs: 500 }],
  ['[BODY] != pat(*error*)', { lacks: ['error'] }],
  ['[BODY] == pong', { body: ['pong'] }],
  ['[CONNECTED] == true', { lost: [] }],
  ['len([BODY].items) > 5', { lost: ['len([BODY].items) > 5'] }],
  ['[BODY] == pat(a*b)', { lost: ['[BODY] == pat(a*b)'] }],
  ['[IP] == 192.0.2.1', { lost: ['[IP] == 192.0.2.1'] }],
])('the Gatus condition $0 is converted to $1', (condition, expected) => {
  expect(conditionsOf([condition])).toMatchObject(expected);
});

test('two status conditions together accept only the status codes that meet both', () => {
  expect(conditionsOf(['[STATUS] >= 200', '[STATUS] < 202']).statuses).toEqual([200, 201]);
});

test('environment variables in the settings of channels remain variables, and those in requests are reported', () => {
  const { content, report } = importGatus({
    alerting: { telegram: { token: '$TELEGRAM_TOKEN', id: `\${CHAT}` }, custom: { url: 'https://a.example/$$x' } },
    endpoints: [{ name: 'a', url: 'https://a.example', headers: { authorization: 'Bearer $TOKEN' }, conditions: [] }],
  });
  expect(content.alert_channels.map(({ config }) => config)).toEqual([
    { bot_token: `\${TELEGRAM_TOKEN}`, chat_id: `\${CHAT}` },
    { url: 'https://a.example/$x' },
  ]);
  expect(report.describe()).toContain('are not replaced; use secrets: "a"');
});

test('alert sources of incident.io and ilert become channels', () => {
  const { content, report } = importGatus({
    alerting: {
      'incident-io': { url: 'https://api.incident.io/v2/alert_events/http/01J', 'auth-token': 'secret' },
      ilert: { 'integration-key': 'il1api' },
    },
  });
  expect(content.alert_channels).toEqual([
    {
      name: 'incident-io',
      type: 'incident_io',
      config: { alert_source_url: 'https://api.incident.io/v2/alert_events/http/01J', api_token: 'secret' },
    },
    { name: 'ilert', type: 'ilert', config: { api_key: 'il1api' } },
  ]);
  expect(report.describe()).toBe('');
});

test("the configuration of Gatus' own repository becomes a valid file", () => {
  const file = new URL('../../test/real-files/gatus.yaml', import.meta.url);
  const { content, report } = importGatus(parseGatus(readFileSync(file, 'utf8')));
  expect(load('f', JSON.stringify(content), {})).toMatchObject({ errors: [], warnings: [] });
  expect(content.monitors.map(({ name, check_type }) => [name, check_type])).toEqual([
    ['front-end', 'http'],
    ['back-end', 'http'],
    ['monitoring', 'http'],
    ['nas', 'http'],
    ['example-dns-query', 'dns'],
    ['check-domain-expiration', 'http'],
  ]);
  expect(report.describe()).toBe(`Not carried over: 1
  1 × there are no icmp checks: "icmp-ping"
Different from before: 4
  1 × the condition [BODY].status == UP is not checked: "front-end"
  1 × alerts 28, 14, 7, 1 and 0 days before the certificate expires replace the condition [CERTIFICATE_EXPIRATION] > 48h: "back-end"
  1 × the condition [BODY] == pat(*.*.*.*) is not checked: "example-dns-query"
  1 × the condition [DOMAIN_EXPIRATION] > 720h is not checked: "check-domain-expiration"
`);
});

test('endpoints get settings from the YAML anchors that they merge', () => {
  const { content, report } = importGatus(
    parseGatus(`
anchors:
  base: &base
    interval: 5m
    conditions: ["[STATUS] == 200", "has([BODY].id) == true"]
  proxied: &proxied
    <<: *base
    client: { proxy-url: "http://proxy.example.com" }
endpoints:
  - { <<: *base, name: shop, url: "https://shop.example.com" }
  - { <<: *proxied, name: blog, url: "https://blog.example.com", interval: 10m }
`),
  );
  expect(content.monitors).toMatchObject([
    { name: 'shop', interval_seconds: 300, config: { expected_status_codes: [200] } },
    { name: 'blog', interval_seconds: 600, config: { expected_status_codes: [200] } },
  ]);
  expect(report.describe()).toContain('has([BODY].id)');
  expect(report.describe()).toContain('proxy-url');
});
