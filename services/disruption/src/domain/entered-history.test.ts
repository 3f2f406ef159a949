import { MAX_ENTERED_BYTES, MAX_UPDATES } from '@tocsin/enums';
import { FieldErrorCollector } from '@tocsin/errors';
import { expect, test } from 'vitest';
import type { DisruptionStatus } from './disruption.ts';
import { checkHistory, type EnteredHistory, type EnteredUpdate, historyOf } from './entered-history.ts';
import { checkNew, openByPerson } from './new-disruption.ts';

const at = (time: string) => new Date(`2026-01-01T${time}:00Z`);
const now = at('12:00');

function update(status: DisruptionStatus | undefined, time: string | undefined, message = ''): EnteredUpdate {
  return { id: `u${time}`, status, message, postedAt: time === undefined ? undefined : at(time) };
}

type Input = Partial<EnteredHistory>;
const given = (input: Input): EnteredHistory => ({ type: 'disruption', startedAt: undefined, message: '', ...input });

function errorsOf(input: Input): object {
  const problems = new FieldErrorCollector();
  checkHistory(given(input), now, problems);
  try {
    problems.throwIfAny();
  } catch (error) {
    return (error as { fields: object }).fields;
  }
  return {};
}

function course(input: Input) {
  expect(errorsOf(input)).toEqual({});
  const { startedAt, status, resolvedAt, entries } = historyOf(given(input), now);
  const short = (time: Date | undefined) => time?.toISOString().slice(11, 16);
  const timeline = entries.map((entry) => `${short(entry.postedAt)} ${entry.status}`);
  return { status, from: short(startedAt), to: short(resolvedAt), timeline };
}

const trouble = update('investigating', '08:00');
const over = update('resolved', '09:00');

test.each<[string, Input, ReturnType<typeof course>]>([
  [
    'no fields about the course',
    {},
    { status: 'investigating', from: '12:00', to: undefined, timeline: ['12:00 investigating'] },
  ],
  [
    'a start and an open status',
    { status: 'identified', startedAt: at('08:00') },
    { status: 'identified', from: '08:00', to: undefined, timeline: ['12:00 identified'] },
  ],
  [
    'a start and a status that ends it',
    { status: 'resolved', startedAt: at('08:00') },
    { status: 'resolved', from: '08:00', to: '12:00', timeline: ['12:00 resolved'] },
  ],
  [
    'a start and the time of the end',
    { resolvedAt: at('09:00'), startedAt: at('08:00') },
    { status: 'resolved', from: '08:00', to: '09:00', timeline: ['09:00 resolved'] },
  ],
  [
    'only the time of the end',
    { resolvedAt: at('09:00') },
    { status: 'resolved', from: '09:00', to: '09:00', timeline: ['09:00 resolved'] },
  ],
  [
    'a start and the time of the end of a maintenance',
    { type: 'maintenance', resolvedAt: at('09:00'), startedAt: at('08:00') },
    { status: 'completed', from: '08:00', to: '09:00', timeline: ['09:00 completed'] },
  ],
  [
    'a complete timeline',
    { updates: [trouble, over] },
    { status: 'resolved', from: '08:00', to: '09:00', timeline: ['08:00 investigating', '09:00 resolved'] },
  ],
  [
    'a start and the timeline of an open disruption',
    { startedAt: at('07:00'), updates: [trouble, update('monitoring', '08:30')] },
    { status: 'monitoring', from: '07:00', to: undefined, timeline: ['08:00 investigating', '08:30 monitoring'] },
  ],
  [
    'a timeline without its end, and the time of the end',
    { resolvedAt: at('10:00'), updates: [trouble] },
    { status: 'resolved', from: '08:00', to: '10:00', timeline: ['08:00 investigating', '10:00 resolved'] },
  ],
  [
    'a timeline without its end, and a status that ends it',
    { status: 'resolved', updates: [trouble] },
    { status: 'resolved', from: '08:00', to: '12:00', timeline: ['08:00 investigating', '12:00 resolved'] },
  ],
  [
    'a summary that is posted after the end',
    { updates: [trouble, over, update('resolved', '11:00')] },
    {
      status: 'resolved',
      from: '08:00',
      to: '09:00',
      timeline: ['08:00 investigating', '09:00 resolved', '11:00 resolved'],
    },
  ],
  [
    'an end, a reopening and another end',
    { updates: [trouble, over, update('investigating', '09:30'), update('resolved', '10:00')] },
    {
      status: 'resolved',
      from: '08:00',
      to: '10:00',
      timeline: ['08:00 investigating', '09:00 resolved', '09:30 investigating', '10:00 resolved'],
    },
  ],
  [
    'an end that was posted after the disruption ended',
    { resolvedAt: at('08:45'), updates: [trouble, over] },
    { status: 'resolved', from: '08:00', to: '08:45', timeline: ['08:00 investigating', '09:00 resolved'] },
  ],
  [
    'a maintenance that was announced before its start',
    { type: 'maintenance', updates: [update('scheduled', '06:00'), update('in_progress', '08:00')] },
    { status: 'in_progress', from: '08:00', to: undefined, timeline: ['06:00 scheduled', '08:00 in_progress'] },
  ],
])('historyOf() derives status, start, end and timeline from a request with %s', (_, input, expected) => {
  expect(course(input)).toEqual(expected);
});

test.each<[string, Input, object]>([
  [
    'a status of another type',
    { status: 'completed', updates: [update('scheduled', '08:00'), over] },
    {
      status: ['must be one of investigating, identified, monitoring, resolved'],
      'updates.0.status': ['must be one of investigating, identified, monitoring, resolved'],
    },
  ],
  [
    'an empty update',
    { updates: [update(undefined, undefined)] },
    { 'updates.0.status': ['is required'], 'updates.0.posted_at': ['is required'] },
  ],
  [
    'an invalid message',
    { updates: [update('investigating', '08:00', '\u0007'), update('resolved', '09:00', 'x'.repeat(10_001))] },
    {
      'updates.0.message': ['must not contain control characters'],
      'updates.1.message': ['must be at most 10000 characters'],
    },
  ],
  ['an update posted now', { updates: [update('investigating', '12:00')] }, {}],
  [
    'an update posted in the future',
    { updates: [update('investigating', '12:01')], startedAt: at('08:00') },
    { 'updates.0.posted_at': ['must not be in the future'] },
  ],
  ['updates posted at the same time', { updates: [trouble, update('resolved', '08:00')] }, {}],
  [
    'updates with the newest one first',
    { updates: [over, trouble], startedAt: at('08:00'), status: 'investigating' },
    { 'updates.1.posted_at': ['must not be before that of the previous update: the oldest is first'] },
  ],
  [
    'an update before the start',
    { updates: [trouble], startedAt: at('08:01') },
    { 'updates.0.posted_at': ['must not be before started_at'] },
  ],
  [
    'an open status other than that of the last update',
    { status: 'monitoring', updates: [trouble] },
    { status: ['must be investigating, the status of the last of updates'] },
  ],
  [
    'an open status and the time of an end',
    { status: 'monitoring', resolvedAt: at('09:00') },
    { resolved_at: ['is only possible with the status resolved'] },
  ],
  [
    'an open maintenance and the time of an end',
    { type: 'maintenance', status: 'in_progress', resolvedAt: at('09:00') },
    { resolved_at: ['is only possible with the status completed'] },
  ],
  ['an end now', { resolvedAt: now }, {}],
  [
    'an end in the future',
    { resolvedAt: at('12:01'), startedAt: at('08:00') },
    { resolved_at: ['must not be in the future'] },
  ],
  ['an end at the start', { resolvedAt: at('08:00'), startedAt: at('08:00') }, {}],
  [
    'an end before the start',
    { resolvedAt: at('07:59'), startedAt: at('08:00') },
    { resolved_at: ['must not be before started_at'] },
  ],
  [
    'an end before the last open update',
    { resolvedAt: at('08:30'), updates: [trouble, update('monitoring', '08:31')] },
    { resolved_at: ['must not be before the last of updates, which is monitoring'] },
  ],
  [
    'an end of a disruption that begins in the future',
    { status: 'resolved', startedAt: at('12:01') },
    { started_at: ['must not be in the future for what has ended'] },
  ],
  [
    'both a message and updates',
    { message: 'Slow.', updates: [trouble] },
    { message: ['is not possible together with updates: send it as one of them'] },
  ],
])('a request with %s has the errors %j', (_, input, errors) => {
  expect(errorsOf(input)).toEqual(errors);
});

const many = (count: number, message = '') => Array.from({ length: count }, () => ({ ...trouble, message }));

test.each<[string, EnteredUpdate[], object]>([
  ['200 updates', many(MAX_UPDATES), {}],
  ['201 updates', many(MAX_UPDATES + 1), { updates: ['must have at most 200 items'] }],
  ['64 KB of messages', many(8, 'é'.repeat(MAX_ENTERED_BYTES / 16)), {}],
  [
    'one byte more than 64 KB of messages',
    [...many(8, 'é'.repeat(MAX_ENTERED_BYTES / 16)), { ...trouble, message: 'x' }],
    { updates: ['must have at most 65536 bytes of messages in all, and has 65537'] },
  ],
])('a timeline may have up to 200 updates and 64 KB of messages: %s', (_, updates, errors) => {
  expect(errorsOf({ updates })).toEqual(errors);
});

const posting = { updateId: 'u-last', now, postedBy: 'jane@example.com' };
const details = { title: 'Slow', impact: 'major', endsAt: undefined, publication: undefined } as const;
const open = (input: Input & { readonly endsAt?: Date }) =>
  openByPerson({ ...details, ...given(input) }, { id: 'd1', organizationId: 'o1', posting });

test('a disruption that is recorded after its end has the status `resolved`, its timeline newest first, and the current time as createdAt', () => {
  const updates = [trouble, update('identified', '08:30', 'A disk.')];
  expect(open({ updates, resolvedAt: at('09:00') })).toMatchObject({
    status: 'resolved',
    startedAt: at('08:00'),
    resolvedAt: at('09:00'),
    createdAt: now,
    updatedAt: now,
    updates: [
      {
        id: 'u-last',
        status: 'resolved',
        body: 'This is resolved.',
        automaticText: 'default_of_status',
        postedAt: at('09:00'),
      },
      {
        id: 'u08:30',
        status: 'identified',
        body: 'A disk.',
        automaticText: undefined,
        postedAt: at('08:30'),
        postedBy: 'jane@example.com',
      },
      { id: 'u08:00', status: 'investigating', body: 'We are looking into it.', postedAt: at('08:00') },
    ],
  });
});

test('a start or an end in the past does not change the status that a person sets for a maintenance', () => {
  const maintenance = { type: 'maintenance', startedAt: at('08:00'), endsAt: at('09:00') } as const;
  expect(open(maintenance).dueAt).toEqual(at('09:00'));
  expect(open({ ...maintenance, status: 'in_progress' }).dueAt).toBeUndefined();
  expect(open({ ...maintenance, updates: [update('in_progress', '08:00')] }).dueAt).toBeUndefined();
  expect(open({ ...maintenance, status: 'in_progress', endsAt: at('13:00') }).dueAt).toEqual(at('13:00'));
  expect(open({ ...maintenance, status: 'completed' })).toMatchObject({ dueAt: undefined, resolvedAt: now });
});

test('errors in the timeline and in other fields are returned together', () => {
  const problems = new FieldErrorCollector();
  checkNew({ ...details, ...given({ resolvedAt: at('12:01') }), title: '' }, now, problems);
  expect(() => problems.throwIfAny()).toThrow(/title is required; resolved_at must not be in the future/);
});
