import { expect, test } from 'vitest';
import { decideAnnouncement, type PageChange, postponedUntil } from './announcement.ts';
import type { DisruptionUpdate } from './disruption.ts';

const at = (time: string) => new Date(`2026-03-02T${time}Z`);

function entry(id: string, time: string, changes: Partial<DisruptionUpdate> = {}): DisruptionUpdate {
  return {
    id,
    status: 'investigating',
    body: 'x',
    automatic: false,
    automaticText: undefined,
    postedAt: at(time),
    editedAt: undefined,
    silent: false,
    ...changes,
  };
}

const first = entry('first', '10:00');
const second = entry('second', '10:20');
const down = entry('down', '10:00', { automatic: true, automaticText: 'went_down' });
const ended = entry('ended', '10:10', { status: 'resolved', automatic: true, automaticText: 'ended' });

type Case = Omit<Partial<PageChange>, 'disruption'> & { disruption?: Partial<PageChange['disruption']> };

function decide({ disruption, ...change }: Case) {
  return decideAnnouncement({
    disruption: { autoCreated: false, createdAt: at('10:00'), resolvedAt: undefined, updates: [first], ...disruption },
    added: [first],
    isNewOnPage: true,
    state: 'none',
    now: at('10:01'),
    ...change,
  });
}

const nothing = { kind: 'nothing' };
const announce = (updateId: string) => ({ kind: 'announce', updateId });
const automatic = { autoCreated: true, updates: [down] };
const known = { isNewOnPage: false };

test.each<[string, Case, object]>([
  ['the first entry of a person', {}, announce('first')],
  ['a silent entry', { disruption: { updates: [{ ...first, silent: true }] } }, nothing],
  ['an entry that is an hour old', { now: at('11:00') }, announce('first')],
  ['an older entry', { now: at('11:01') }, nothing],
  ['a past disruption', { disruption: { resolvedAt: at('10:00') } }, nothing],
  [
    'a disruption with its timeline so far: the newest entry only',
    { disruption: { updates: [second, first] }, added: [second, first], now: at('10:20') },
    announce('second'),
  ],
  ['a further entry', { ...known, added: [second], now: at('10:20') }, announce('second')],
  [
    'the last entry',
    { ...known, disruption: { resolvedAt: at('10:20') }, added: [second], now: at('10:20') },
    announce('second'),
  ],
  ['a change without an entry, such as an edit or a deletion', { ...known, added: [] }, nothing],
  ['a page that shows the disruption later: its newest entry', { added: [], now: at('10:30') }, announce('first')],
  ['a page that shows a past disruption later', { added: [], disruption: { resolvedAt: at('10:20') } }, nothing],

  ['an automatic disruption', { disruption: automatic, added: [down] }, { kind: 'wait', until: at('10:05') }],
  [
    'an entry of the system while it waits',
    { ...known, disruption: automatic, state: 'waiting', added: [down] },
    nothing,
  ],
  [
    'the end while it waits',
    { ...known, disruption: { ...automatic, resolvedAt: at('10:03') }, state: 'waiting', added: [ended] },
    { kind: 'cancel' },
  ],
  [
    'the end that a person reports while it waits',
    { ...known, disruption: { ...automatic, resolvedAt: at('10:20') }, state: 'waiting', added: [second] },
    { kind: 'cancel' },
  ],
  [
    'the end of one that never waited',
    { ...known, disruption: { ...automatic, resolvedAt: at('10:03') }, added: [ended] },
    nothing,
  ],
  [
    'an entry of a person while it waits',
    { ...known, disruption: automatic, state: 'waiting', added: [second], now: at('10:20') },
    announce('second'),
  ],
  [
    'the end after it was announced',
    { ...known, disruption: { ...automatic, resolvedAt: at('10:10') }, state: 'announced', added: [ended] },
    announce('ended'),
  ],
])('announces: %s', (_, change, expected) => {
  expect(decide(change)).toEqual(expected);
});

test.each([
  ['the first one', undefined, undefined],
  ['one within an hour', at('10:00'), at('11:00')],
  ['one an hour later', at('09:10'), undefined],
])('announces at most one disruption of a monitor within an hour: %s', (_, lastAt, until) => {
  expect(postponedUntil(lastAt, at('10:10'))).toEqual(until);
});
