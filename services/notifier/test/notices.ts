import type { Notice } from '../src/domain/notice.ts';

/** Contents of alerts to a channel, by kind. */
const down: Notice = {
  id: 'd1',
  organizationId: 'o9',
  kind: 'monitor_down',
  monitor: { id: 'm1', name: 'Shop', url: 'https://shop.example.com/health_check' },
  monitorLink: 'https://tocsin.example.com/api/v1/monitors/m1',
  outageLink: 'https://tocsin.example.com/o/t1',
  channelName: 'Ops',
  at: new Date('2026-11-20T03:00:00Z'),
  error: 'status 502, expected 200',
  downtimeMs: undefined,
  disruptionId: 'o1',
};

const certificate = { expiresAt: new Date('2026-11-27T12:00:00Z'), daysRemaining: 7 };

export const notices = {
  down,
  recovered: { ...down, kind: 'monitor_recovered', error: '', downtimeMs: 125_000 },
  stale: { ...down, kind: 'monitor_stale', error: '' },
  certExpiring: { ...down, kind: 'cert_expiring', error: '', certificate },
  test: { ...down, kind: 'test', monitor: { id: 'm0', name: 'Test alert', url: '' }, error: '' },
} satisfies Record<string, Notice>;

/**
 * An alert with the longest texts that tenants can enter. The texts consist mainly of characters that have two UTF-16
 * code units or must be escaped.
 */
export const longest: Notice = {
  ...down,
  monitor: { id: 'm1', name: '🛒'.repeat(255), url: `https://shop.example.com/?${'_'.repeat(2_000)}` },
  channelName: '🔔'.repeat(255),
  error: '<'.repeat(5_000),
};

/** An alert whose texts contain markup and mentions that must have no effect. */
export const hostile: Notice = {
  ...down,
  monitor: { id: 'm1', name: '@everyone **bold** [link](https://evil.example)', url: 'https://shop.example.com/@here' },
  channelName: '<@U1>',
  error: '<!channel> `code`',
};
