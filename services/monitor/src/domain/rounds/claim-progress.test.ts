import { expect, test } from 'vitest';
import { ClaimProgress } from './claim-progress.ts';

const at = (seconds: number) => new Date(seconds * 1_000);

test('a claim looks at all rounds first, and then only at those since ten seconds before the last claim', () => {
  const progress = new ClaimProgress();
  expect(progress.since(at(100))).toBeUndefined();
  progress.complete(at(100), undefined);
  expect(progress.since(at(101))).toEqual(at(90));
  progress.complete(at(101), at(90));
  expect(progress.since(at(102))).toEqual(at(91));
});

test('a claim that left rounds over, or failed, does not move the start of the next one', () => {
  const progress = new ClaimProgress();
  progress.complete(at(100), undefined);
  expect(progress.since(at(120))).toEqual(at(90));
  expect(progress.since(at(125))).toEqual(at(90));
});

test('every 30 seconds, a claim looks at all rounds until one is complete', () => {
  const progress = new ClaimProgress();
  progress.complete(at(100), undefined);
  progress.complete(at(129), at(90));
  expect(progress.since(at(130))).toBeUndefined();
  expect(progress.since(at(131))).toBeUndefined();
  progress.complete(at(131), undefined);
  expect(progress.since(at(132))).toEqual(at(121));
});

test('after the clock was set back, a claim looks at all rounds', () => {
  const progress = new ClaimProgress();
  progress.complete(at(100), undefined);
  expect(progress.since(at(99))).toBeUndefined();
});
