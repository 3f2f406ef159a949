import { expect, test } from 'vitest';
import { type Channel, change, markBroken, recordFailedProbe } from './channel.ts';
import { DEFAULT_POLICY } from './channel-policy.ts';

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
  fallbackChannelId: undefined,
  policy: DEFAULT_POLICY,
  revision: 1,
  createdAt: created,
  updatedAt: created,
};
const broken = markBroken(channel, 'the receiver returned 410', later, 2_000);

test('marking a channel as broken disables it and records the time and the reason', () => {
  expect(broken).toMatchObject({ enabled: false, broken: { at: later, reason: 'the receiver returned 410' } });
});

test('fields that are absent from a change keep their values', () => {
  expect(change(channel, { name: 'On call', newConfig: false }, later)).toEqual({
    ...channel,
    name: 'On call',
    updatedAt: later,
  });
});

test.each([
  ['setting `enabled`', { enabled: true, newConfig: false }],
  ['a new configuration', { newConfig: true }],
])('%s makes a broken channel healthy and enabled again', (_, changes) => {
  expect(change(broken, changes, later)).toMatchObject({
    enabled: true,
    broken: undefined,
    failingSince: undefined,
    revision: 2,
  });
});

test('a new configuration does not enable a channel that a person disabled', () => {
  expect(change({ ...channel, enabled: false }, { newConfig: true }, later).enabled).toBe(false);
});

test('a broken channel that a person disables is no longer broken', () => {
  const disabled = change(broken, { enabled: false, newConfig: false }, later);
  expect(disabled).toMatchObject({ enabled: false, broken: undefined });
  expect(change(disabled, { newConfig: true }, later).enabled).toBe(false);
});

test('a new name does not make a broken channel healthy', () => {
  expect(change(broken, { name: 'On call', newConfig: false }, later)).toMatchObject({
    broken: broken.broken,
    enabled: false,
    revision: 1,
  });
});

test('the interval between probes of a broken channel grows from 15 minutes to six hours', () => {
  const minutes: number[] = [];
  for (let probed = broken, now = later; minutes.length < 8; probed = recordFailedProbe(probed, now, 2_000)) {
    const { probeAt = now } = probed.broken ?? {};
    minutes.push((probeAt.getTime() - now.getTime()) / 60_000);
    now = probeAt;
  }
  expect(minutes).toEqual([15, 30, 60, 120, 240, 360, 360, 360]);
});

test('null removes the fallback channel, and an absent field keeps it', () => {
  const withFallback = change(channel, { fallbackChannelId: 'c2', newConfig: false }, later);
  expect(withFallback.fallbackChannelId).toBe('c2');
  expect(change(withFallback, { newConfig: true }, later).fallbackChannelId).toBe('c2');
  expect(change(withFallback, { fallbackChannelId: null, newConfig: false }, later).fallbackChannelId).toBeUndefined();
});
