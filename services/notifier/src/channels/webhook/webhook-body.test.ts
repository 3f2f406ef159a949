import { expect, test } from 'vitest';
import type { Notice } from '../../domain/notice.ts';
import { BodyTooLongError, bodyFromTemplate, defaultBody } from './webhook-body.ts';

const down: Notice = {
  id: 'd1',
  organizationId: 'o9',
  kind: 'monitor_down',
  monitor: { id: 'm1', name: 'Shop "EU"', url: 'https://shop.example.com' },
  monitorLink: 'https://tocsin.example.com/api/v1/monitors/m1',
  outageLink: 'https://tocsin.example.com/o/t1',
  channelName: 'Ops',
  at: new Date('2026-11-20T10:00:00.250Z'),
  error: 'status 502, expected 200',
  downtimeMs: undefined,
  disruptionId: 'd9',
  statusPageUrl: 'https://tocsin.example.com/s/acme',
};
const recovered: Notice = { ...down, kind: 'monitor_recovered', error: '', downtimeMs: 125_400 };

test('the default body contains the monitor, regions, time and reason', () => {
  expect(JSON.parse(defaultBody(down))).toEqual({
    event: 'monitor_down',
    status: 'down',
    monitor: {
      id: 'm1',
      name: 'Shop "EU"',
      url: 'https://shop.example.com',
      api_url: 'https://tocsin.example.com/api/v1/monitors/m1',
    },
    channel_name: 'Ops',
    timestamp: '2026-11-20T10:00:00Z',
    error: 'status 502, expected 200',
    downtime_seconds: null,
    downtime_duration: null,
    cert_expiry_date: null,
    days_remaining: null,
    disruption_id: 'd9',
    outage_url: 'https://tocsin.example.com/o/t1',
    late: false,
  });
});

test('the body of a message about several monitors contains the URL of each outage page, or null if there is none', () => {
  const change = {
    kind: 'monitor_down',
    monitorId: 'm1',
    name: 'Shop',
    at: '2026-11-20T10:00:00.000Z',
    error: '',
  } as const;
  const changes = [
    { ...change, count: 2, outageLink: 'https://tocsin.example.com/o/t2' },
    { ...change, isAlerted: true as const },
  ];
  const common = {
    event: 'monitor_down',
    monitor: { id: 'm1', name: 'Shop' },
    timestamp: '2026-11-20T10:00:00Z',
    error: null,
  };
  expect(JSON.parse(defaultBody({ ...down, kind: 'monitors_changed', changes })).changes).toEqual([
    { ...common, count: 2, outage_url: 'https://tocsin.example.com/o/t2', already_alerted: false },
    { ...common, count: 1, outage_url: null, already_alerted: true },
  ]);
});

test('the body of a recovery contains the duration', () => {
  expect(JSON.parse(defaultBody(recovered))).toMatchObject({
    event: 'monitor_recovered',
    status: 'up',
    error: null,
    downtime_seconds: 125,
    downtime_duration: '2 min 5 s',
  });
});

test('the body of a certificate alert contains the expiry date', () => {
  const certificate = { expiresAt: new Date('2026-12-04T00:00:00Z'), daysRemaining: -1 };
  const expiring: Notice = { ...down, kind: 'cert_expiring', error: '', certificate, disruptionId: undefined };
  const common = { cert_expiry_date: '2026-12-04T00:00:00Z', days_remaining: -1, disruption_id: null };
  expect(JSON.parse(defaultBody(expiring))).toMatchObject({
    event: 'cert_expiring',
    status: 'cert_expiring',
    ...common,
  });
  expect(JSON.parse(bodyFromTemplate('["{{cert_expiry_date}}", "{{days_remaining}}"]', expiring))).toEqual([
    '2026-12-04T00:00:00Z',
    '-1',
  ]);
});

test.each([
  ['event', 'monitor_down', 'monitor_recovered'],
  ['status', 'down', 'up'],
  ['monitor_id', 'm1', 'm1'],
  ['monitor_name', 'Shop "EU"', 'Shop "EU"'],
  ['monitor_url', 'https://shop.example.com', 'https://shop.example.com'],
  ['channel_name', 'Ops', 'Ops'],
  ['timestamp', '2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z'],
  ['last_error', 'status 502, expected 200', ''],
  ['downtime_duration', '', '2 min 5 s'],
  ['cert_expiry_date', '', ''],
  ['days_remaining', '', ''],
  ['disruption_id', 'd9', 'd9'],
  ['outage_url', 'https://tocsin.example.com/o/t1', 'https://tocsin.example.com/o/t1'],
  ['status_page_url', 'https://tocsin.example.com/s/acme', 'https://tocsin.example.com/s/acme'],
  ['something_else', '', ''],
])('the template variable {{%s}} is replaced', (name, whenDown, whenRecovered) => {
  const fill = (notice: Notice) => JSON.parse(bodyFromTemplate(`{"value": "{{${name}}}"}`, notice)).value;
  expect([fill(down), fill(recovered)]).toEqual([whenDown, whenRecovered]);
});

test('a template that its values make too long is refused without being filled', () => {
  const monitor = { ...down.monitor, url: `https://shop.example.com/?${'a'.repeat(8_000)}` };
  const template = `"${'{{monitor_url}}'.repeat(4_000)}{{event}}"`;
  const began = process.memoryUsage().heapUsed;
  expect(() => bodyFromTemplate(template, { ...down, monitor })).toThrow(BodyTooLongError);
  expect(process.memoryUsage().heapUsed - began).toBeLessThan(16_000_000);
  expect(() => bodyFromTemplate(template, { ...down, monitor })).toThrow(/use {{monitor_url}}/);
});

test('a body of 262,144 bytes is sent, and a longer one is not', () => {
  const filled = (length: number) => bodyFromTemplate('"{{last_error}}"', { ...down, error: 'x'.repeat(length) });
  expect(Buffer.byteLength(filled(262_142))).toBe(262_144);
  expect(() => filled(262_143)).toThrow('would be 262145 bytes, and at most 262144 are sent: use {{last_error}}');
});
