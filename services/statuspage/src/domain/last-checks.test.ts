import { expect, test } from 'vitest';
import { changesOfLastChecks, isOverdue, type LastChecks, type LastRound, lastChecks } from './last-checks.ts';

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
])('a monitor that %s', (_, last, unreachable, overdue) => {
  const unreachableSince = unreachable === undefined ? undefined : ago(unreachable);
  const rounds = roundsOf(...(last ? [last] : []));
  expect(isOverdue('monitor-1', { rounds, unreachableSince }, NOW)).toBe(overdue);
});

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
])('what a page says about the last checks, if %s', (_, rounds, unreachable, said) => {
  const unreachableSince = unreachable === undefined ? undefined : ago(unreachable);
  expect(lastChecks({ rounds: roundsOf(...rounds), unreachableSince }, NOW)).toEqual(said);
});

test('time changes the page when a monitor becomes overdue and when the last checks become unknown', () => {
  const rounds = roundsOf(round(12), round(299));
  expect(changesOfLastChecks({ rounds, unreachableSince: undefined })).toEqual([ago(-288), ago(-1)]);
  expect(changesOfLastChecks({ rounds: new Map(), unreachableSince: ago(100) })).toEqual([ago(-20)]);
});
