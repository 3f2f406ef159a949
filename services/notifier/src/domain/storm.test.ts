import { expect, test } from 'vitest';
import { type Alert, type AlertKind, reminderOf } from './alert.ts';
import { changesOf, nextMessageAt, stormAlert, withoutOutdated } from './storm.ts';

const now = new Date('2026-01-01T00:00:00Z');

function alert(id: string, kind: AlertKind, error = '', at = now): Alert {
  const times = { at, downSince: undefined, occurredAt: at };
  return { id: 'a', organizationId: 'o', eventId: 'e', kind, monitor: { id, name: id, url: '' }, error, ...times };
}

const at = '2026-01-01T00:00:00.000Z';
const later = new Date('2026-01-01T00:00:01Z');

test('changesOf() lists each monitor once, with its latest state and the number of its changes', () => {
  const alerts = [
    alert('m1', 'monitor_down', 'status 502'),
    alert('m2', 'monitor_stale'),
    alert('m1', 'cert_expiring'),
    alert('m1', 'monitor_recovered', '', later),
    alert('m3', 'channel_broken', 'gone'),
    alert('m4', 'test'),
  ];
  expect(changesOf(alerts)).toEqual([
    {
      kind: 'monitor_recovered',
      monitorId: 'm1',
      name: 'm1',
      at: later.toISOString(),
      error: '',
      count: 2,
      alertId: 'a',
    },
    { kind: 'monitor_stale', monitorId: 'm2', name: 'm2', at, error: '', alertId: 'a' },
    { kind: 'cert_expiring', monitorId: 'm1', name: 'm1', at, error: '', alertId: 'a' },
    { kind: 'channel_broken', monitorId: 'm3', name: 'm3', at, error: 'gone', alertId: 'a' },
  ]);
});

test('changesOf() replaces an alert about several monitors with the changes that the alert lists, in order', () => {
  const down = alert('m1', 'monitor_down', 'status 502');
  const changes = changesOf([down, alert('m1', 'monitor_recovered', '', later)]);
  const message = stormAlert({ id: 's', eventId: 'e', organizationId: 'o', stormId: 's', changes, now });
  expect(changesOf([message, down])).toMatchObject([{ kind: 'monitor_recovered' }]);
  expect(changesOf([alert('m2', 'monitor_down'), message])).toMatchObject([
    { monitorId: 'm2' },
    { monitorId: 'm1', kind: 'monitor_recovered', count: 2 },
  ]);
});

test('a reminder and the alert about the beginning of its outage count as one change', () => {
  const down = alert('m1', 'monitor_down', 'status 502');
  const reminder = reminderOf(down, { id: 'r', eventId: 'r' }, later);
  expect(changesOf([reminder])).toMatchObject([{ kind: 'monitor_down', monitorId: 'm1' }]);
  expect(changesOf([down, reminder])).toEqual([
    { kind: 'monitor_down', monitorId: 'm1', name: 'm1', at, error: 'status 502', alertId: 'a' },
  ]);
});

test('each listed change contains the ids of its latest alert and its disruption', () => {
  const down = { ...alert('m1', 'monitor_down'), disruptionId: 'd1' };
  const recovered = { ...alert('m1', 'monitor_recovered', '', later), id: 'b', disruptionId: 'd1' };
  const [change] = changesOf([down, recovered]);
  expect(change).toMatchObject({ alertId: 'b', disruptionId: 'd1' });
  const message = stormAlert({
    id: 's',
    eventId: 'e',
    organizationId: 'o',
    stormId: 's',
    changes: changesOf([down]),
    now,
  });
  expect(changesOf([message])).toMatchObject([{ alertId: 'a', disruptionId: 'd1' }]);
});

test('the subject of a message is the name of its only monitor, or the number of its monitors or alerts', () => {
  const subject = (alerts: Alert[]) =>
    stormAlert({ id: 's', eventId: 'e', organizationId: 'o', stormId: 's', changes: changesOf(alerts), now }).monitor;
  expect(subject([alert('m1', 'monitor_down')])).toEqual({ id: 'm1', name: 'm1', url: '' });
  expect(subject([alert('m1', 'monitor_down'), alert('m2', 'monitor_down')])).toMatchObject({ name: '2 monitors' });
  expect(subject([alert('m1', 'monitor_down'), alert('m1', 'cert_expiring')])).toMatchObject({ name: '2 alerts' });
});

function message(...alerts: Alert[]): Alert {
  return stormAlert({ id: 's', eventId: 'e', organizationId: 'o', stormId: 's', changes: changesOf(alerts), now });
}

test('withoutOutdated() leaves out the states of which a later message says a newer one', () => {
  const recovered = alert('m1', 'monitor_recovered', '', later);
  const both = message(alert('m1', 'monitor_down'), alert('m2', 'monitor_down'));
  expect(withoutOutdated(both, [recovered])).toMatchObject({
    id: 's',
    monitor: { id: 'm2' },
    changes: [{ name: 'm2' }],
  });
  expect(withoutOutdated(both, [message(recovered, alert('m2', 'monitor_recovered', '', later))])).toBeUndefined();
  const down = alert('m1', 'monitor_down');
  expect(withoutOutdated(down, [message(recovered, alert('m2', 'monitor_down'))])).toBeUndefined();
  expect(withoutOutdated(reminderOf(down, { id: 'r', eventId: 'r' }, later), [message(recovered)])).toBeUndefined();
});

test('withoutOutdated() keeps the newest states, certificates, and other monitors', () => {
  const down = alert('m1', 'monitor_down');
  const expiring = alert('m1', 'cert_expiring');
  const recovered = alert('m1', 'monitor_recovered', '', later);
  expect(withoutOutdated(down, [])).toBe(down);
  expect(withoutOutdated(down, [message(down, alert('m2', 'monitor_recovered', '', later))])).toBe(down);
  expect(withoutOutdated(recovered, [message(down)])).toBe(recovered);
  expect(withoutOutdated(expiring, [message(recovered)])).toBe(expiring);
  expect(withoutOutdated(message(down, expiring), [recovered])?.changes).toMatchObject([{ kind: 'cert_expiring' }]);
});

test('in a storm of alerts, the second message is sent after 20 seconds, and each later message after another minute', () => {
  const waits = [1, 2, 3, 4].map((messages) => nextMessageAt(messages, now).getTime() - now.getTime());
  expect(waits).toEqual([20_000, 60_000, 60_000, 60_000]);
});
