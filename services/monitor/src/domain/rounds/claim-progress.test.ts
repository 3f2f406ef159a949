import { expect, test } from 'vitest';
import { ClaimProgress } from './claim-progress.ts';

const at = (seconds: number) => new Date(seconds * 1_000);

test('a claim looks at all rounds first, and then only at those since ten seconds before the last claim', () => {
  const progress = new ClaimProgress();
  expect(progress.since(at(100))).toBeUndefined();
  progress.record(at(100));
  expect(progress.since(at(101))).toEqual(at(90));
  progress.record(at(101));
  expect(progress.since(at(102))).toEqual(at(91));
});

test('after a claim that left rounds over, the next one continues where it ended, even if that is long ago', () => {
  const progress = new ClaimProgress();
  progress.since(at(1_000));
  progress.record(at(400));
  expect(progress.since(at(1_000))).toEqual(at(390));
});

test('a claim that failed does not move the start of the next one', () => {
  const progress = new ClaimProgress();
  progress.since(at(100));
  progress.record(at(100));
  expect(progress.since(at(120))).toEqual(at(90));
  expect(progress.since(at(125))).toEqual(at(90));
});

test('every 30 seconds, one claim looks at all rounds', () => {
  const progress = new ClaimProgress();
  progress.since(at(100));
  progress.record(at(100));
  progress.record(at(129));
  expect(progress.since(at(130))).toBeUndefined();
  expect(progress.since(at(131))).toEqual(at(119));
  expect(progress.since(at(159))).toEqual(at(119));
  expect(progress.since(at(160))).toBeUndefined();
});

test('that no round is due is relied on until all rounds are looked at again', () => {
  const progress = new ClaimProgress(60_000);
  progress.since(at(100));
  progress.recordNoneDue({ at: at(110), nextAt: undefined, endedTransactions: 1 });
  expect(progress.isQuiet(at(129), 1)).toBe(true);
  expect(progress.isQuiet(at(129), 2)).toBe(false);
  expect(progress.isQuiet(at(130), 1)).toBe(false);
});

test('after the clock was set back, it is not relied on that no round is due', () => {
  const progress = new ClaimProgress(5_000);
  progress.since(at(100));
  progress.recordNoneDue({ at: at(110), nextAt: at(120), endedTransactions: 0 });
  expect(progress.isQuiet(at(110), 0)).toBe(true);
  expect(progress.isQuiet(at(109), 0)).toBe(false);
});

test('after the clock was set back, a claim looks at all rounds', () => {
  const progress = new ClaimProgress();
  progress.since(at(100));
  progress.record(at(100));
  expect(progress.since(at(99))).toBeUndefined();
});
