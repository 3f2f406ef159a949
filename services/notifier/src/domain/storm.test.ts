import { expect, test } from 'vitest';
import type { Alert, AlertKind } from './alert.ts';
import { changesOf, nextMessageAt } from './storm.ts';

const now = new Date('2026-01-01T00:00:00Z');

function alert(id: string, kind: AlertKind, error = ''): Alert {
  const times = { at: now, downSince: undefined, occurredAt: now };
  return { id: 'a', organizationId: 'o', eventId: 'e', kind, monitor: { id, name: id, url: '' }, error, ...times };
}

test('each monitor is listed once, with its last state', () => {
  const alerts = [
    alert('m1', 'monitor_down', 'status 502'),
    alert('m2', 'monitor_stale'),
    alert('m3', 'cert_expiring'),
    alert('m1', 'monitor_recovered'),
  ];
  expect(changesOf(alerts)).toEqual([
    { kind: 'monitor_recovered', monitorId: 'm1', name: 'm1', at: '2026-01-01T00:00:00.000Z', error: '' },
    { kind: 'monitor_stale', monitorId: 'm2', name: 'm2', at: '2026-01-01T00:00:00.000Z', error: '' },
  ]);
});

test('intervals between messages of a storm grow', () => {
  const waits = [1, 2, 3, 4].map((messages) => nextMessageAt(messages, now).getTime() - now.getTime());
  expect(waits).toEqual([20_000, 60_000, 300_000, 300_000]);
});
