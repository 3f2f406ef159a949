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
  failingSince: created,
  revision: 1,
  createdAt: created,
  updatedAt: created,
};
const broken = markBroken(channel, 'the receiver returned 410', later);

test('a broken channel is disabled and says since when and why', () => {
  expect(broken).toMatchObject({ enabled: false, broken: { at: later, reason: 'the receiver returned 410' } });
});

test('only what is sent changes', () => {
  expect(change(channel, { name: 'On call', newConfig: false }, later)).toEqual({
    ...channel,
    name: 'On call',
    updatedAt: later,
  });
});

test.each([
  ['enabling it', { enabled: true, newConfig: false }],
  ['a new configuration', { newConfig: true }],
])('%s makes a broken channel healthy, and enables again what the system disabled', (_, changes) => {
  expect(change(broken, changes, later)).toMatchObject({
    enabled: true,
    broken: undefined,
    failingSince: undefined,
    revision: 2,
  });
});

test('a new configuration leaves disabled what a person disabled', () => {
  expect(change({ ...channel, enabled: false }, { newConfig: true }, later).enabled).toBe(false);
});

test('a broken channel that a person disables is no longer disabled by the system', () => {
  const disabled = change(broken, { enabled: false, newConfig: false }, later);
  expect(disabled).toMatchObject({ enabled: false, broken: undefined });
  expect(change(disabled, { newConfig: true }, later).enabled).toBe(false);
});

test('a new name leaves a broken channel broken', () => {
  expect(change(broken, { name: 'On call', newConfig: false }, later)).toMatchObject({
    broken: broken.broken,
    enabled: false,
    revision: 1,
  });
});
