import { expect, test } from 'vitest';
import { type Changes, changeDisruption } from './change-disruption.ts';
import type { Disruption } from './disruption.ts';
import { moveOn } from './maintenance.ts';
import { openByPerson } from './new-disruption.ts';

const at = (time: string) => new Date(`2026-01-01T${time}Z`);
const posting = (time: string) => ({ updateId: `u${time}`, now: at(time), postedBy: 'tocsin@example.com' });

/** Returns a maintenance that is announced at 10:00. */
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
])('a maintenance that is announced at 10:00 and starts at %s has the status %s', (start, status) => {
  expect(maintenance(start).status).toBe(status);
});

test('a maintenance starts and completes automatically, with a timeline entry for each step', () => {
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

test('if the start and the end of a maintenance are both overdue, the maintenance starts first and then completes', () => {
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
  ['a new start moves the next step', change(scheduled, { startedAt: at('12:30:00') }, '11:00:00'), '12:30:00'],
  [
    'a start that is moved into the past is due immediately',
    change(scheduled, { startedAt: at('10:30:00') }, '11:00:00'),
    '10:30:00',
  ],
  ['a new end moves the next step', change(inProgress, { endsAt: { value: at('14:00:00') } }, '11:00:00'), '14:00:00'],
  [
    'removing the end removes the next step',
    change(inProgress, { endsAt: { value: undefined } }, '11:00:00'),
    undefined,
  ],
  [
    'after a person starts the maintenance, the end is the next step',
    change(scheduled, { status: 'in_progress' }, '11:00:00'),
    '13:00:00',
  ],
  [
    'after a person completes the maintenance, no step is planned',
    change(scheduled, { status: 'completed' }, '11:00:00'),
    undefined,
  ],
  [
    'a change of the title does not move the next step, even after it is due',
    change(scheduled, { title: 'Disks' }, '12:00:05'),
    '12:00:00',
  ],
  [
    'a scheduled status that a person sets after the start has no next step',
    change(inProgress, { status: 'scheduled' }, '11:00:00'),
    undefined,
  ],
  [
    'a maintenance that a person resumes after its end has no next step',
    change(change(inProgress, { status: 'completed' }, '13:30:00'), { status: 'in_progress' }, '14:00:00'),
    undefined,
  ],
  [
    'a new start moves the next step of a rescheduled maintenance',
    change(inProgress, { status: 'scheduled', startedAt: at('12:30:00') }, '11:00:00'),
    '12:30:00',
  ],
])('in the schedule of a maintenance, %s', (_, { dueAt }, expected) => {
  expect(dueAt).toEqual(expected === undefined ? undefined : at(expected));
});

test('a maintenance that a person starts before its planned start begins at that time', () => {
  const scheduled = maintenance('12:00:00', '13:00:00');
  const started = change(scheduled, { status: 'in_progress' }, '11:00:00');
  expect(started).toMatchObject({ startedAt: at('11:00:00'), endsAt: at('13:00:00'), dueAt: at('13:00:00') });
  expect(change(started, { status: 'completed' }, '11:30:00').resolvedAt).toEqual(at('11:30:00'));
  expect(change(scheduled, { status: 'in_progress' }, '12:30:00').startedAt).toEqual(at('12:00:00'));

  const calledOff = change(scheduled, { status: 'completed' }, '11:00:00');
  expect(calledOff).toMatchObject({ startedAt: at('12:00:00'), resolvedAt: at('11:00:00') });
  expect(change(calledOff, { status: 'in_progress' }, '11:10:00').startedAt).toEqual(at('11:10:00'));
});
