import { expect, test } from 'vitest';
import { formatTime, noticeOf } from './notice.ts';

test('formatTime() omits the fraction of the second', () => {
  expect(formatTime(new Date('2026-11-20T10:00:00.999Z'))).toBe('2026-11-20T10:00:00Z');
});

test('a recovery and a reminder contain the duration of the downtime', () => {
  const alert = {
    id: 'a1',
    organizationId: 'o1',
    eventId: 'e1',
    kind: 'monitor_recovered' as const,
    monitor: { id: 'm1', name: 'Shop', url: '' },
    at: new Date('2026-01-01T10:02:00Z'),
    downSince: new Date('2026-01-01T10:00:00Z'),
    error: '',
    occurredAt: new Date('2026-01-01T10:02:01Z'),
  };
  const about = {
    deliveryId: 'd1',
    channelName: 'Ops',
    baseUrl: 'https://tocsin.example.com',
    outageLink: 'https://tocsin.example.com/o/t1',
  };
  expect(noticeOf(alert, about)).toMatchObject({
    id: 'd1',
    downtimeMs: 120_000,
    monitorLink: 'https://tocsin.example.com/api/v1/monitors/m1',
    outageLink: 'https://tocsin.example.com/o/t1',
  });
  expect(noticeOf({ ...alert, downSince: undefined }, about).downtimeMs).toBeUndefined();
  const reminder = { ...alert, kind: 'monitor_still_down', downSince: undefined } as const;
  const occurredAt = new Date('2026-01-01T10:32:00Z');
  expect(noticeOf({ ...reminder, occurredAt }, about).downtimeMs).toBe(30 * 60_000);
});
