import { describe, expect, test } from 'vitest';
import type { Alert } from './alert.ts';
import { canBeAcknowledged, type Outage, spanOf } from './outage.ts';

const at = (time: string) => new Date(`2026-01-01T${time}Z`);

const down: Alert = {
  id: 'a1',
  organizationId: 'o1',
  eventId: 'e1',
  kind: 'monitor_down',
  monitor: { id: 'm1', name: 'Shop', url: '' },
  at: at('10:00:00'),
  downSince: undefined,
  error: 'status 502',
  disruptionId: 'd1',
  occurredAt: at('10:00:01'),
};
const recovered: Alert = { ...down, kind: 'monitor_recovered', at: at('10:05:00'), downSince: at('10:00:00') };

const outage = (changes: Partial<Outage> = {}): Outage => ({
  subject: { kind: 'disruption', id: 'd1' },
  alerts: [down],
  notifications: [],
  rounds: [],
  disruption: { acknowledgement: undefined, resolvedAt: undefined },
  statusPageUrl: undefined,
  ...changes,
});

describe('the time span of an outage', () => {
  test('the span has no end while the outage continues', () => {
    expect(spanOf(outage())).toEqual({ from: at('10:00:00'), until: undefined });
  });

  test('the span ends when the monitor recovers', () => {
    expect(spanOf(outage({ alerts: [down, recovered] }))).toEqual({ from: at('10:00:00'), until: at('10:05:00') });
  });

  test('the span begins when the monitor went down, even if the recovery is the only alert', () => {
    expect(spanOf(outage({ alerts: [recovered] }))).toEqual({ from: at('10:00:00'), until: at('10:05:00') });
  });

  test('the span ends when a person resolves the outage', () => {
    const disruption = { acknowledgement: undefined, resolvedAt: at('10:03:00') };
    expect(spanOf(outage({ disruption }))).toEqual({ from: at('10:00:00'), until: at('10:03:00') });
  });

  test('the span of an alert without an outage has no end', () => {
    const stale = { ...recovered, disruptionId: undefined };
    const span = spanOf(outage({ subject: { kind: 'alert', id: 'a1' }, alerts: [stale], disruption: undefined }));
    expect(span.until).toBeUndefined();
  });
});

describe('whether an outage can be acknowledged', () => {
  const acknowledgement = { at: at('10:01:00'), by: 'Jane' };
  test.each([
    ['can be acknowledged while it continues', {}, true],
    ['can not be acknowledged again', { disruption: { acknowledgement, resolvedAt: undefined } }, false],
    ['can not be acknowledged after the recovery', { alerts: [down, recovered] as const }, false],
    [
      'can not be acknowledged after its end',
      { disruption: { acknowledgement: undefined, resolvedAt: at('10:03:00') } },
      false,
    ],
    ['can not be acknowledged while its disruption is unknown', { disruption: undefined }, false],
  ])('an outage %s', (_, changes, expected) => {
    expect(canBeAcknowledged(outage(changes))).toBe(expected);
  });
});
