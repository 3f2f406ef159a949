import { expect, test } from 'vitest';
import { type Changes, changeDisruption } from './change-disruption.ts';
import type { Disruption } from './disruption.ts';
import { moveOn } from './maintenance.ts';
import { openByPerson } from './new-disruption.ts';

const at = (time: string) => new Date(`2026-01-01T${time}Z`);
const posting = (time: string) => ({ updateId: `u${time}`, now: at(time), postedBy: 'tocsin@example.com' });

/** Announced at 10:00. */
function maintenance(start: string, end?: string): Disruption {
  return openByPerson(
    {
      title: 'New disks',
      type: 'maintenance',
      impact: 'minor',
      startedAt: at(start),
      endsAt: end === undefined ? undefined : at(end),
      message: '',
      publication: undefined,
    },
    { id: 'd1', organizationId: 'o1', posting: posting('10:00:00') },
  );
}

const change = (before: Disruption, changes: Changes, time: string) => changeDisruption(before, changes, posting(time));
const moved = (before: Disruption, time: string) => moveOn(before, posting(time));

test.each([
  ['10:00:01', 'scheduled'],
  ['10:00:00', 'in_progress'],
  ['09:00:00', 'in_progress'],
])('a maintenance that starts at %s, announced at 10:00, is %s', (start, status) => {
  expect(maintenance(start).status).toBe(status);
});

test('a maintenance starts and completes automatically, each with a timeline entry', () => {
  const scheduled = maintenance('12:00:00', '13:00:00');
  expect(moved(scheduled, '11:59:59')).toBeUndefined();
  const started = moved(scheduled, '12:00:00');
  expect(started).toMatchObject({ status: 'in_progress', startedAt: at('12:00:00'), resolvedAt: undefined });
  if (!started) return;
  expect(moved(started, '12:59:59')).toBeUndefined();
  const completed = moved(started, '13:00:01');
  expect(completed).toMatchObject({ status: 'completed', resolvedAt: at('13:00:01'), dueAt: undefined });
  expect(completed?.updates.map(({ status, body, postedBy }) => [status, body, postedBy])).toEqual([
    ['completed', 'Maintenance is complete.', 'tocsin@example.com'],
    ['in_progress', 'Maintenance has begun.', 'tocsin@example.com'],
    ['scheduled', 'Maintenance is planned.', 'tocsin@example.com'],
  ]);
});

test('a maintenance whose start and end are both overdue starts, and then completes', () => {
  const started = moved(maintenance('12:00:00', '13:00:00'), '15:00:00');
  expect(started?.status).toBe('in_progress');
  expect(started && moved(started, '15:00:00')?.status).toBe('completed');
});

test('a maintenance without an end continues until a person completes it', () => {
  expect(maintenance('10:00:00').dueAt).toBeUndefined();
});

const scheduled = maintenance('12:00:00', '13:00:00');
const inProgress = maintenance('10:00:00', '13:00:00');

test.each<[string, Disruption, string | undefined]>([
  ['another start moves the start', change(scheduled, { startedAt: at('12:30:00') }, '11:00:00'), '12:30:00'],
  [
    'a start that is moved into the past is at once',
    change(scheduled, { startedAt: at('10:30:00') }, '11:00:00'),
    '10:30:00',
  ],
  ['another end moves the end', change(inProgress, { endsAt: { value: at('14:00:00') } }, '11:00:00'), '14:00:00'],
  ['no end is no end', change(inProgress, { endsAt: { value: undefined } }, '11:00:00'), undefined],
  ['a start by hand leaves the end', change(scheduled, { status: 'in_progress' }, '11:00:00'), '13:00:00'],
  ['an end by hand is the end', change(scheduled, { status: 'completed' }, '11:00:00'), undefined],
  [
    'a change of words moves nothing, not even when it comes late',
    change(scheduled, { title: 'Disks' }, '12:00:05'),
    '12:00:00',
  ],
  [
    'who schedules after the start is not contradicted',
    change(inProgress, { status: 'scheduled' }, '11:00:00'),
    undefined,
  ],
  [
    'who goes on after the end is not contradicted',
    change(change(inProgress, { status: 'completed' }, '13:30:00'), { status: 'in_progress' }, '14:00:00'),
    undefined,
  ],
  [
    'a new start applies to a rescheduled maintenance',
    change(inProgress, { status: 'scheduled', startedAt: at('12:30:00') }, '11:00:00'),
    '12:30:00',
  ],
])('%s', (_, { dueAt }, expected) => {
  expect(dueAt).toEqual(expected === undefined ? undefined : at(expected));
});
