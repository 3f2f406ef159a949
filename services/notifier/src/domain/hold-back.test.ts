import { expect, test } from 'vitest';
import type { AlertKind } from './alert.ts';
import { type ChannelState, decideFate, decideRelease, type Fate, planSummary } from './hold-back.ts';

const now = new Date('2026-01-01T10:00:00Z');
const until = new Date('2026-01-01T11:00:00Z');
const soon = new Date('2026-01-01T10:10:00Z');
const full = { startedAt: now, messages: 3 };
const free: ChannelState = {
  type: 'webhook',
  isBroken: false,
  quietUntil: undefined,
  waiting: undefined,
  flappingWaits: undefined,
  hour: undefined,
  limit: 3,
};
const waiting = { reason: 'limit', until: soon } as const;

const fateOf = (
  channel: Partial<ChannelState>,
  alert: { kind?: AlertKind; stormId?: string; flappingUntil?: Date } = {},
): Fate => {
  const { kind = 'monitor_down', stormId, flappingUntil } = alert;
  return decideFate({ ...free, ...channel }, { kind, stormId, flappingUntil, now }).fate;
};

test.each<[string, Partial<ChannelState>, Parameters<typeof fateOf>[1], Fate]>([
  ['without any restriction', {}, {}, { kind: 'send' }],
  ['that is the last one within the limit', { hour: { ...full, messages: 2 } }, {}, { kind: 'send', lastUntil: until }],
  ['beyond the limit', { hour: full }, {}, { kind: 'hold_back', reason: 'limit', until }],
  ['without a limit', { hour: full, limit: 0 }, {}, { kind: 'send' }],
  ['in quiet hours', { quietUntil: soon }, {}, { kind: 'hold_back', reason: 'quiet_hours', until: soon }],
  ['while other alerts wait', { waiting }, {}, { kind: 'hold_back', ...waiting }],
  ['in a storm', {}, { stormId: 's' }, { kind: 'storm', stormId: 's' }],
  ['in a storm, about a certificate', {}, { stormId: 's', kind: 'cert_expiring' }, { kind: 'send' }],
  [
    'when its monitor begins to flap',
    {},
    { flappingUntil: soon },
    { kind: 'hold_back', reason: 'flapping', until: soon, announces: {} },
  ],
  [
    'when its monitor begins to flap, beyond the limit',
    { hour: full },
    { flappingUntil: soon },
    { kind: 'hold_back', reason: 'limit', until },
  ],
  [
    'while its monitor flaps, even in a storm',
    { flappingWaits: soon },
    { flappingUntil: until, stormId: 's' },
    { kind: 'hold_back', reason: 'flapping', until },
  ],
  [
    'when its monitor has just left a storm',
    { flappingWaits: soon, leftStorm: true },
    { flappingUntil: soon },
    { kind: 'hold_back', reason: 'flapping', until: soon, announces: {} },
  ],
  [
    'when its monitor has just left a storm, as the last one within the limit',
    { flappingWaits: soon, leftStorm: true, hour: { ...full, messages: 2 } },
    { flappingUntil: soon },
    { kind: 'hold_back', reason: 'flapping', until: soon, announces: { lastUntil: until } },
  ],
  ...[{ hour: full }, { quietUntil: until }, { waiting }].map(
    (state): [string, Partial<ChannelState>, Parameters<typeof fateOf>[1], Fate] => [
      `when its monitor has just left a storm, and nothing is sent because of ${Object.keys(state)[0]}`,
      { flappingWaits: soon, leftStorm: true, ...state },
      { flappingUntil: soon },
      { kind: 'hold_back', reason: 'flapping', until: soon },
    ],
  ),
  ['that is a test', { quietUntil: soon, hour: full, waiting }, { kind: 'test' }, { kind: 'send' }],
  ['while the channel is broken', { isBroken: true, quietUntil: soon }, {}, { kind: 'held' }],
  [
    'at a pager',
    { type: 'pagerduty', quietUntil: soon, hour: full, waiting, flappingWaits: soon },
    { stormId: 's', flappingUntil: until },
    { kind: 'send' },
  ],
])('decideFate() decides what happens to an alert %s', (_, channel, alert, fate) => {
  expect(fateOf(channel, alert)).toEqual(fate);
});

const channel = { ...free, enabled: true };

test.each([
  ['without any restriction', channel, { kind: 'send' }],
  ['as the last message', { ...channel, hour: { ...full, messages: 2 } }, { kind: 'send', lastUntil: until }],
  ['beyond the limit', { ...channel, hour: full }, { kind: 'postpone', reason: 'limit', until }],
  ['in quiet hours', { ...channel, quietUntil: soon }, { kind: 'postpone', reason: 'quiet_hours', until: soon }],
  ['at a disabled channel', { ...channel, enabled: false }, { kind: 'dropped' }],
  ['at a broken channel', { ...channel, enabled: false, isBroken: true }, { kind: 'held' }],
])('planSummary() decides what happens to a message about held-back alerts %s', (_, state, plan) => {
  expect(planSummary(state, now).plan).toEqual(plan);
});

test('held alerts of a channel that is healthy again are sent separately, or in one message if they exceed the limit', () => {
  expect(decideRelease(3, free, now)).toEqual({ hold: undefined, hour: full });
  expect(decideRelease(4, free, now)).toEqual({ hold: { reason: 'limit', until: now }, hour: undefined });
  expect(decideRelease(1, { ...free, quietUntil: soon }, now).hold).toEqual({ reason: 'quiet_hours', until: soon });
  expect(decideRelease(1_000, { ...free, limit: 0 }, now).hold).toBeUndefined();
});
