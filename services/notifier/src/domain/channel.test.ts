import { expect, test } from 'vitest';
import { type Channel, change, markBroken } from './channel.ts';

const created = new Date('2026-01-01T00:00:00Z');
const later = new Date('2026-01-02T00:00:00Z');
const channel: Channel = {
  id: 'c1',
  organizationId: 'o1',
  name: 'Ops',
  type: 'webhook',
  enabled: true,
  defaultForNewMonitors: false,
  broken: undefined,
  failedAlerts: 2,
  revision: 1,
  createdAt: created,
  updatedAt: created,
};
const broken = markBroken(channel, 'the receiver answered 410', later);

test('a broken channel is disabled and says since when and why', () => {
  expect(broken).toMatchObject({ enabled: false, broken: { at: later, reason: 'the receiver answered 410' } });
});

test('only what is sent changes', () => {
  expect(change(channel, { name: 'On call', newConfig: false }, later)).toEqual({
    ...channel,
    name: 'On call',
    updatedAt: later,
  });
});

test.each([
  ['enabling it', { enabled: true, newConfig: false }, { enabled: true, failedAlerts: 0, revision: 2 }],
  ['a new configuration', { newConfig: true }, { enabled: false, failedAlerts: 0, revision: 2 }],
])('%s mends a broken channel', (_, changes, expected) => {
  expect(change(broken, changes, later)).toMatchObject({ ...expected, broken: undefined });
});

test.each([
  ['a new name', { name: 'On call', newConfig: false }],
  ['disabling it', { enabled: false, newConfig: false }],
])('%s leaves a broken channel broken', (_, changes) => {
  expect(change(broken, changes, later)).toMatchObject({ broken: broken.broken, enabled: false, revision: 1 });
});
