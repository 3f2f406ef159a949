import { expect, test } from 'vitest';
import {
  changesOfLastChecks,
  checkFreshness,
  type Freshness,
  isOverdue,
  type LastChecks,
  type LastRound,
  lastChecks,
} from './last-checks.ts';

const NOW = new Date('2026-01-20T12:00:00Z');
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);
const round = (at: number | undefined, intervalSeconds = 60, expectedSince = 86_400): LastRound => ({
  at: at === undefined ? undefined : ago(at),
  expectedSince: ago(expectedSince),
  intervalSeconds,
});
const roundsOf = (...all: LastRound[]) => new Map(all.map((one, index) => [`monitor-${index + 1}`, one]));

test.each<[string, LastRound | undefined, number | undefined, boolean]>([
  ['was checked 12 seconds ago', round(12), undefined, false],
  ['was checked almost three intervals and two minutes ago', round(299), undefined, false],
  ['was checked three intervals and two minutes ago', round(300), undefined, true],
  ['with a long interval was checked three hours ago', round(3 * 3_600, 3_600), undefined, false],
  ['was enabled or changed after its last round', round(9_000, 60, 299), undefined, false],
  ['was enabled too long ago without a round', round(undefined, 60, 300), undefined, true],
  ['has no round and is new', round(undefined, 60, 299), undefined, false],
  ['is not known, while the monitor service can be reached', undefined, undefined, false],
  ['is not known, and the monitor service is unreachable for less than two minutes', undefined, 119, false],
  ['is not known, and the monitor service is unreachable for two minutes', undefined, 120, true],
  ['was checked recently, and the monitor service is unreachable for two minutes', round(150), 120, false],
])('isOverdue() returns whether a monitor is overdue: it %s', (_, last, unreachable, overdue) => {
  const unreachableSince = unreachable === undefined ? undefined : ago(unreachable);
  const rounds = roundsOf(...(last ? [last] : []));
  expect(isOverdue('monitor-1', { rounds, unreachableSince }, NOW)).toBe(overdue);
});

test.each<[string, number | undefined, number, boolean]>([
  ['is recorded as fresh until now, while the monitor service is unreachable', 1, 0, true],
  ['is recorded as fresh for another second, while the monitor service is unreachable', 1, -1, false],
  ['is recorded as fresh, and the monitor service is unreachable for two minutes', 120, -1, true],
  ['is recorded as overdue, while the monitor service can be reached', undefined, 60, false],
])(
  'isOverdue() uses the recorded time freshUntil for a monitor without a known round: it %s',
  (_, unreachable, freshUntil, overdue) => {
    const unreachableSince = unreachable === undefined ? undefined : ago(unreachable);
    expect(isOverdue('monitor-1', { rounds: new Map(), unreachableSince }, NOW, ago(freshUntil))).toBe(overdue);
  },
);

test.each<[string, LastRound[], number | undefined, LastChecks]>([
  ['no monitor is checked', [], undefined, { kind: 'none' }],
  ['the only monitor is new', [round(undefined, 60, 10)], undefined, { kind: 'none' }],
  [
    'the newest round counts',
    [round(50), round(12), round(undefined, 60, 10)],
    undefined,
    { kind: 'checked', at: ago(12) },
  ],
  ['one of two monitors is overdue', [round(12), round(9_000)], undefined, { kind: 'checked', at: ago(12) }],
  ['all monitors are overdue', [round(700), round(9_000)], undefined, { kind: 'stopped', since: ago(700) }],
  ['no monitor ever had a round', [round(undefined, 60, 900)], undefined, { kind: 'stopped', since: ago(900) }],
  ['the service is unreachable for less than two minutes', [round(130)], 119, { kind: 'checked', at: ago(130) }],
  ['the service is unreachable for two minutes', [round(130)], 120, { kind: 'unknown', since: ago(120) }],
])('lastChecks() returns the state of the last checks: %s', (_, rounds, unreachable, said) => {
  const unreachableSince = unreachable === undefined ? undefined : ago(unreachable);
  expect(lastChecks({ rounds: roundsOf(...rounds), unreachableSince }, NOW)).toEqual(said);
});

test('changesOfLastChecks() returns when monitors become overdue and when the last checks become unknown', () => {
  const rounds = roundsOf(round(12), round(299));
  expect(changesOfLastChecks({ rounds, unreachableSince: undefined })).toEqual([ago(-288), ago(-1)]);
  expect(changesOfLastChecks({ rounds: new Map(), unreachableSince: ago(100) })).toEqual([ago(-20)]);
});

const fresh = (freshUntil: number): Freshness => ({ freshUntil: ago(freshUntil), isOverdue: false });
const overdue = (freshUntil: number): Freshness => ({ freshUntil: ago(freshUntil), isOverdue: true });
const unchecked: Freshness = { freshUntil: undefined, isOverdue: false };
const at = (seconds: number, becomes: 'overdue' | 'fresh') => ({ at: ago(seconds), isOverdue: becomes === 'overdue' });
const since = (runningSince: number, last: LastRound) => ({ ...last, runningSince: ago(runningSince) });

test.each<[string, Freshness, LastRound | undefined, ReturnType<typeof at>[]]>([
  ['is checked for the first time', unchecked, round(12), []],
  ['is checked for the first time and is overdue', unchecked, round(301), [at(1, 'overdue')]],
  ['becomes overdue now', fresh(0), round(300), [at(0, 'overdue')]],
  ['is overdue a second later', fresh(-1), round(299), []],
  ['is still overdue', overdue(60), round(360), []],
  ['has a round again', overdue(60), round(20), [at(20, 'fresh')]],
  ['was changed, and is expected to have rounds since', overdue(60), round(360, 60, 10), [at(10, 'fresh')]],
  ['can not be verified, and its last round is not too old', fresh(-1), undefined, []],
  ['can not be verified, and its last round is too old', fresh(0), undefined, [at(0, 'overdue')]],
  ['can not be verified and is overdue', overdue(60), undefined, []],
  ['can not be verified and has been overdue for a long time', overdue(9_000), undefined, []],
  ['can not be verified almost two minutes after it can be overdue', fresh(119), undefined, [at(119, 'overdue')]],
  ['can not be verified and was not checked in time', fresh(120), undefined, []],
  ['was not checked in time and is overdue', fresh(900), round(1_200), [at(900, 'overdue')]],
  ['is checked for the first time and can not be verified', unchecked, undefined, []],
  [
    'became overdue before the monitor service was started again',
    fresh(900),
    since(100, round(12)),
    [at(900, 'overdue'), at(100, 'fresh')],
  ],
  ['was not overdue when the monitor service was started again', fresh(100), since(100, round(12)), []],
  ['was not verified for a long time, although rounds were decided', fresh(900), since(9_000, round(12)), []],
  ['was overdue when the monitor service was started again', overdue(900), since(100, round(12)), [at(12, 'fresh')]],
])('checkFreshness() returns when a monitor became overdue or fresh: it %s', (_, known, last, changes) => {
  const result = checkFreshness(known, last, NOW);
  expect(result.changes).toEqual(changes);
  expect(result.isOverdue).toBe(changes.at(-1)?.isOverdue ?? known.isOverdue);
});

test.each<[string, Freshness, LastRound | undefined, number]>([
  ['a fresh monitor is checked again halfway', unchecked, round(100), 100],
  ['a monitor that soon becomes overdue is checked again after 15 seconds', unchecked, round(290), 15],
  ['an overdue monitor is checked again after 15 seconds', unchecked, round(9_000), 15],
  ['a monitor with a long interval is checked again after 10 minutes', unchecked, round(12, 3_600), 600],
  ['a monitor that can not be verified is checked again after 15 seconds', fresh(-3_600), undefined, 15],
])('checkFreshness() returns when to check the freshness again: %s', (_, known, last, seconds) => {
  expect(checkFreshness(known, last, NOW).nextCheckAt).toEqual(ago(-seconds));
});

test('a monitor whose rounds were never readable becomes overdue two minutes after the first freshness check', () => {
  const { freshUntil } = checkFreshness(unchecked, undefined, NOW);
  expect(freshUntil).toEqual(ago(-120));
  expect(checkFreshness({ freshUntil, isOverdue: false }, undefined, ago(-119)).changes).toEqual([]);
  expect(checkFreshness({ freshUntil, isOverdue: false }, undefined, ago(-120)).changes).toHaveLength(1);
});
