import { describe, expect, test } from 'vitest';
import { acknowledge, MAX_ACKNOWLEDGED_BY } from './acknowledge.ts';
import { changeDisruption } from './change-disruption.ts';
import type { Disruption, DisruptionStatus } from './disruption.ts';
import { openByPerson } from './new-disruption.ts';

const at = (time: string) => new Date(`2026-01-01T${time}Z`);
const by = 'jane@example.com';

const open = openByPerson(
  {
    title: 'Slow',
    type: 'disruption',
    impact: 'major',
    startedAt: at('10:00:00'),
    endsAt: undefined,
    message: '',
    publication: undefined,
  },
  { id: 'd1', organizationId: 'o1', posting: { updateId: 'u1', now: at('10:00:00'), postedBy: by } },
);

const change = (disruption: Disruption, status: DisruptionStatus) =>
  changeDisruption(disruption, { status }, { updateId: 'u2', now: at('11:00:00'), postedBy: by });

describe('acknowledge()', () => {
  test('an acknowledgement records the person and the time, and changes nothing else', () => {
    const acknowledgement = { at: at('10:05:00'), by };
    expect(acknowledge(open, acknowledgement)).toEqual({ ...open, acknowledgement, updatedAt: at('10:05:00') });
  });

  test('a second acknowledgement does not change the first one, even after the end of the disruption', () => {
    const first = acknowledge(open, { at: at('10:05:00'), by });
    expect(acknowledge(first, { at: at('10:06:00'), by: 'joe@example.com' })).toBe(first);
    const resolved = change(first, 'resolved');
    expect(acknowledge(resolved, { at: at('12:00:00'), by })).toBe(resolved);
  });

  test('an acknowledgement stays when the status changes, and is removed when the disruption is reopened', () => {
    const first = acknowledge(open, { at: at('10:05:00'), by });
    expect(change(first, 'identified').acknowledgement).toEqual(first.acknowledgement);
    const resolved = change(first, 'resolved');
    expect(resolved.acknowledgement).toEqual(first.acknowledgement);
    expect(change(resolved, 'monitoring').acknowledgement).toBeUndefined();
  });

  test('acknowledging a disruption after its end is refused with `conflict`', () => {
    expect(() => acknowledge(change(open, 'resolved'), { at: at('12:00:00'), by })).toThrow(
      'the disruption has ended: only an open disruption can be acknowledged',
    );
  });

  test(`the name in an acknowledgement has 1 to ${MAX_ACKNOWLEDGED_BY} characters`, () => {
    const named = (name: string) => acknowledge(open, { at: at('10:05:00'), by: name });
    expect(named('😀'.repeat(MAX_ACKNOWLEDGED_BY)).acknowledgement?.by).toHaveLength(2 * MAX_ACKNOWLEDGED_BY);
    expect(() => named('x'.repeat(MAX_ACKNOWLEDGED_BY + 1))).toThrow('acknowledged_by must be at most 255 characters');
    expect(() => named('')).toThrow('acknowledged_by is required');
  });
});
