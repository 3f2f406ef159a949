import { type ComponentStatus, type DisruptionType, MAX_TIMELINE_BYTES, MAX_UPDATES } from '@tocsin/enums';
import { FieldErrorCollector } from '@tocsin/errors';
import { describe, expect, test } from 'vitest';
import { type Changes, changeDisruption, checkChanges } from './change-disruption.ts';
import type { AffectedComponent } from './component.ts';
import { componentsNow, type Disruption, type DisruptionStatus } from './disruption.ts';
import { editUpdate } from './edit-timeline.ts';
import { type NewDisruption, openByPerson } from './new-disruption.ts';

const at = (time: string) => new Date(`2026-01-01T${time}Z`);
const posting = (time: string, updateId = 'u2') => ({ updateId, now: at(time), postedBy: 'jane@example.com' });

function affected(id: string, status: ComponentStatus, statusPageId = 'p1'): AffectedComponent {
  return { id, name: id.toUpperCase(), statusPageId, status };
}

function given(wanted: Partial<NewDisruption> = {}, components: readonly AffectedComponent[] = []): Disruption {
  return openByPerson(
    {
      title: 'Slow',
      type: 'disruption',
      impact: 'major',
      startedAt: at('10:00:00'),
      endsAt: undefined,
      message: '',
      ...wanted,
      publication: components.length > 0 ? { statusPageId: 'p1', components } : undefined,
    },
    { id: 'd1', organizationId: 'o1', posting: { ...posting('10:00:00'), updateId: 'u1' } },
  );
}

/** Applies the given changes to a disruption, one minute apart. */
function after(disruption: Disruption, ...changes: Changes[]): Disruption {
  return changes.reduce(
    (current, change, index) => changeDisruption(current, change, posting(`11:0${index}:00`, `u${index + 2}`)),
    disruption,
  );
}

const timeline = ({ updates }: Disruption) => updates.map(({ status, body }) => [status, body]);
const statuses = (disruption: Disruption) => componentsNow(disruption).map(({ id, status }) => [id, status]);

describe('changeDisruption()', () => {
  test('a change leaves omitted fields unchanged', () => {
    const before = given({}, [affected('c1', 'major_outage')]);
    const { updatedAt, impact, ...rest } = after(before, { impact: 'critical' });
    expect({ impact, updatedAt }).toEqual({ impact: 'critical', updatedAt: at('11:00:00') });
    expect(rest).toEqual((({ updatedAt: _, impact: __, ...same }) => same)(before));
  });

  test('a change can set all fields at once', () => {
    expect(
      after(given(), {
        title: 'Down',
        impact: 'critical',
        status: 'identified',
        message: 'A disk.',
        startedAt: at('09:00:00'),
        publication: { statusPageId: 'p1', components: [affected('c1', 'major_outage')] },
      }),
    ).toMatchObject({
      title: 'Down',
      impact: 'critical',
      status: 'identified',
      startedAt: at('09:00:00'),
      statusPageIds: ['p1'],
      affectedComponents: [{ id: 'c1', status: 'major_outage' }],
      updates: [{ id: 'u2', status: 'identified', body: 'A disk.', postedBy: 'jane@example.com' }, { id: 'u1' }],
    });
  });

  test.each<[string, Changes]>([
    ['no field', {}],
    ['the current title', { title: 'Slow' }],
    ['the current status', { status: 'investigating' }],
    ['an empty message', { message: '' }],
    ['the current start', { startedAt: at('10:00:00') }],
    ['the current components', { publication: { statusPageId: 'p1', components: [affected('c1', 'major_outage')] } }],
  ])('a change with %s returns the same object', (_, changes) => {
    const before = given({}, [affected('c1', 'major_outage')]);
    expect(after(before, changes)).toBe(before);
  });
});

describe('times with milliseconds', () => {
  const before = given({
    type: 'maintenance',
    startedAt: at('10:00:00.730'),
    endsAt: at('12:00:00.001'),
  });

  test('a change with the whole seconds of the current times, as responses show them, returns the same object', () => {
    expect(after(before, { startedAt: at('10:00:00') })).toBe(before);
    expect(after(before, { endsAt: { value: at('12:00:00') } })).toBe(before);
    expect(after(before, { startedAt: at('10:00:00'), title: 'Down' })).toMatchObject({
      title: 'Down',
      startedAt: at('10:00:00.730'),
    });
  });

  test('another time is a change, even within the same second', () => {
    expect(after(before, { startedAt: at('10:00:00.500') }).startedAt).toEqual(at('10:00:00.500'));
    expect(after(before, { startedAt: at('09:59:59') }).startedAt).toEqual(at('09:59:59'));
    expect(after(before, { endsAt: { value: undefined } }).endsAt).toBeUndefined();
    expect(after(given(), { endsAt: { value: at('12:00:00') } }).endsAt).toEqual(at('12:00:00'));
  });
});

describe('the timeline', () => {
  test('a status without a message gets a default text, and a message without a status gets the current status', () => {
    expect(timeline(after(given(), { status: 'monitoring' }, { message: 'Looks good.' }))).toEqual([
      ['monitoring', 'Looks good.'],
      ['monitoring', 'A fix is in place, and we are watching it.'],
      ['investigating', 'We are looking into it.'],
    ]);
  });
});

describe('the end of a disruption', () => {
  const components = [affected('c1', 'major_outage'), affected('c2', 'partial_outage', 'p1')];

  test('ending a disruption sets resolvedAt and makes every component operational, even if the request has other statuses', () => {
    const publication = {
      statusPageId: 'p1',
      components: [affected('c1', 'degraded_performance'), affected('c2', 'operational')],
    };
    const resolved = after(given({}, components), { status: 'resolved', publication });
    expect(resolved).toMatchObject({ status: 'resolved', resolvedAt: at('11:00:00') });
    expect(statuses(resolved)).toEqual([
      ['c1', 'operational'],
      ['c2', 'operational'],
    ]);
  });

  test('changes to a resolved disruption do not change resolvedAt', () => {
    const resolved = after(given({}, components), { status: 'resolved' }, { title: 'Was slow', message: 'A summary.' });
    expect(resolved).toMatchObject({ title: 'Was slow', resolvedAt: at('11:00:00'), updatedAt: at('11:01:00') });
  });

  test.each<[string, Changes]>([
    ['only a status', { status: 'resolved' }],
    [
      'operational components',
      {
        status: 'resolved',
        publication: { statusPageId: 'p1', components: [affected('c1', 'operational'), affected('c2', 'operational')] },
      },
    ],
  ])('reopening a disruption that was resolved with %s restores the component statuses', (_, end) => {
    const reopened = after(given({}, components), end, { status: 'identified' });
    expect(reopened).toMatchObject({ status: 'identified', resolvedAt: undefined });
    expect(statuses(reopened)).toEqual([
      ['c1', 'major_outage'],
      ['c2', 'partial_outage'],
    ]);
  });

  test('a request that reopens a disruption can set other component statuses', () => {
    const publication = { statusPageId: 'p1', components: [affected('c2', 'degraded_performance')] };
    const reopened = after(given({}, components), { status: 'resolved' }, { status: 'investigating', publication });
    expect(statuses(reopened)).toEqual([['c2', 'degraded_performance']]);
  });
});

describe('a publication', () => {
  const before = given({}, [affected('c1', 'partial_outage'), affected('c2', 'partial_outage')]);

  test('a publication to a second page does not change the components of the first page', () => {
    const publication = { statusPageId: 'p2', components: [affected('c3', 'major_outage', 'p2')] };
    const published = after(before, { publication });
    expect(statuses(published)).toEqual([
      ['c3', 'major_outage'],
      ['c1', 'partial_outage'],
      ['c2', 'partial_outage'],
    ]);
    expect(published.statusPageIds).toEqual(['p1', 'p2']);
  });

  test('a publication to a page that already shows the disruption replaces the components of that page', () => {
    const publication = { statusPageId: 'p1', components: [affected('c2', 'operational')] };
    expect(statuses(after(before, { publication }))).toEqual([['c2', 'operational']]);
  });

  test('after a publication without components, the disruption is still on the page', () => {
    const published = after(before, { publication: { statusPageId: 'p1', components: [] } });
    expect(published).toMatchObject({ affectedComponents: [], statusPageIds: ['p1'] });
  });
});

describe('invalid changes', () => {
  const disruption: DisruptionStatus[] = ['investigating', 'identified', 'monitoring', 'resolved'];
  const maintenance: DisruptionStatus[] = ['scheduled', 'in_progress', 'completed'];
  const families: [DisruptionType, DisruptionStatus[], DisruptionStatus[]][] = [
    ['disruption', disruption, maintenance],
    ['maintenance', maintenance, disruption],
  ];

  function refusedFor(before: Disruption, changes: Parameters<typeof checkChanges>[1]) {
    const problems = new FieldErrorCollector();
    checkChanges(before, changes, problems);
    try {
      problems.throwIfAny();
    } catch (error) {
      return (error as { fields: unknown }).fields;
    }
    return {};
  }

  test.each(families)('a disruption of type %s can have only the statuses of its type', (type, own, others) => {
    const before = given({ type });
    for (const status of own) expect(refusedFor(before, { status })).toEqual({});
    for (const status of others) {
      expect(refusedFor(before, { status })).toEqual({ status: [`must be one of ${own.join(', ')}`] });
    }
  });

  test('an ended disruption can start at its end at the latest', () => {
    const resolved = after(given(), { status: 'resolved' });
    expect(refusedFor(resolved, { startedAt: at('11:00:00') })).toEqual({});
    const refused = { started_at: ['must not be after resolved_at'] };
    expect(refusedFor(resolved, { startedAt: at('11:00:01') })).toEqual(refused);
    expect(refusedFor(resolved, { startedAt: at('11:00:01'), status: 'investigating' })).toEqual({});
  });

  test('an incident that is resolved before its planned start begins when it is resolved', () => {
    const planned = given({ startedAt: at('12:00:00') });
    const times = { startedAt: at('11:00:00'), resolvedAt: at('11:00:00') };
    expect(after(planned, { status: 'resolved' })).toMatchObject(times);
  });

  test('a maintenance that was called off accepts its planned start', () => {
    const calledOff = after(given({ type: 'maintenance', startedAt: at('12:00:00') }), { status: 'completed' });
    expect(refusedFor(calledOff, { startedAt: at('12:00:00') })).toEqual({});
  });

  test.each<[string, Parameters<typeof checkChanges>[1], object]>([
    ['an empty title', { title: '' }, { title: ['is required'] }],
    ['a long title', { title: 'x'.repeat(256) }, { title: ['must be at most 255 characters'] }],
    ['another type', { type: 'maintenance' }, { type: ["can't be changed"] }],
    ['the same type', { type: 'disruption' }, {}],
    ['a long message', { message: 'x'.repeat(10_001) }, { message: ['must be at most 10000 characters'] }],
    [
      'a planned end of a disruption',
      { endsAt: { value: at('12:00:00') } },
      { ends_at: ['is only possible for maintenance'] },
    ],
    ['the removal of the planned end of a disruption', { endsAt: { value: undefined } }, {}],
    [
      'an invalid time',
      { startedAt: new Date(Number.NaN) },
      { started_at: ['must lie between the years 1900 and 2999'] },
    ],
  ])('a change with %s has errors only for invalid fields', (_, changes, fields) => {
    expect(refusedFor(given(), changes)).toEqual(fields);
  });

  test.each<[string, Changes, object]>([
    ['an end before the start', { endsAt: { value: at('10:00:00') } }, { ends_at: ['must be after started_at'] }],
    ['a start after the end', { startedAt: at('12:00:00') }, { started_at: ['must be before ends_at'] }],
    [
      'a new start and a new end that is before it',
      { startedAt: at('14:00:00'), endsAt: { value: at('13:00:00') } },
      { ends_at: ['must be after started_at'] },
    ],
    [
      'a start after the old end together with a new end',
      { startedAt: at('13:00:00'), endsAt: { value: at('14:00:00') } },
      {},
    ],
    [
      'a start after the old end together with the removal of the end',
      { startedAt: at('13:00:00'), endsAt: { value: undefined } },
      {},
    ],
  ])('a maintenance with %s: the change %j has the errors %j', (_, changes, fields) => {
    expect(refusedFor(given({ type: 'maintenance', endsAt: at('12:00:00') }), changes)).toEqual(fields);
  });

  test('all errors are returned at once', () => {
    expect(refusedFor(given(), { title: '', status: 'completed', message: '\u0007' })).toEqual({
      title: ['is required'],
      status: ['must be one of investigating, identified, monitoring, resolved'],
      message: ['must not contain control characters'],
    });
  });
});

describe('a timeline', () => {
  const full = after(
    given(),
    ...Array.from({ length: MAX_UPDATES - 1 }, (_, index) => ({ message: `update ${index}` })),
  );

  function problemsOf(disruption: Disruption, changes: Changes): object {
    const problems = new FieldErrorCollector();
    checkChanges(disruption, changes, problems);
    try {
      problems.throwIfAny();
      return {};
    } catch (error) {
      return (error as { fields: object }).fields;
    }
  }

  test('a timeline accepts at most 200 updates', () => {
    const almost = { ...full, updates: full.updates.slice(1) };
    expect(problemsOf(almost, { message: 'one more' })).toEqual({});
    const limit = 'the timeline has its limit of 200 updates; it can still be resolved or completed';
    expect(problemsOf(full, { message: 'one more' })).toEqual({ message: [limit] });
    expect(problemsOf(full, { status: 'identified' })).toEqual({ status: [limit] });
  });

  test('a full timeline still accepts the end of the disruption, and changes that add no entry', () => {
    expect(problemsOf(full, { status: 'resolved', message: 'over' })).toEqual({});
    expect(problemsOf(full, { title: 'Slow checkout' })).toEqual({});
    expect(after(full, { status: 'resolved' }).updates).toHaveLength(MAX_UPDATES + 1);
  });

  test('a timeline accepts messages of at most 512 KB, counted in bytes of UTF-8', () => {
    const message = 'ü'.repeat(5_000);
    const count = Math.floor((MAX_TIMELINE_BYTES - 10_000) / 10_000);
    const long = after(given({ message }), ...Array.from({ length: count }, () => ({ message })));
    const left = MAX_TIMELINE_BYTES - long.updates.length * 10_000;
    expect(problemsOf(long, { message: 'x'.repeat(left) })).toEqual({});
    const limit = `the timeline has at most 512 KB of messages, and would have ${MAX_TIMELINE_BYTES + 1} bytes`;
    expect(problemsOf(long, { message: 'x'.repeat(left + 1) })).toEqual({
      message: [`${limit}; it can still be resolved or completed`],
    });
    expect(problemsOf(long, { message: 'x'.repeat(left + 1), status: 'resolved' })).toEqual({});
    const [, second] = long.updates;
    const edit = (bytes: number) => editUpdate(long, second?.id ?? '', 'ü'.repeat(bytes / 2), at('12:00:00'));
    expect(edit(10_000 + left).updates[1]?.body).toHaveLength(5_000 + left / 2);
    expect(() => edit(10_000 + left + 2)).toThrow(/at most 512 KB of messages/);
  });

  test('a full timeline accepts no update after the end of the disruption', () => {
    const ended = after(full, { status: 'resolved' });
    expect(problemsOf(ended, { status: 'resolved', message: 'Again over.' })).toEqual({
      message: ['the timeline has its limit of 200 updates'],
    });
  });
});
