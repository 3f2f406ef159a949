import { expect, test } from 'vitest';
import { problemOfSince } from './replay.ts';

const now = new Date('2026-01-31T00:00:00Z');

test.each([
  ['2026-01-31T00:00:00.000Z', undefined],
  ['2026-01-31T00:00:00.001Z', 'must not be in the future'],
  ['2026-01-01T00:00:00.000Z', undefined],
  ['2025-12-31T23:59:59.999Z', 'must be at most 30 days ago'],
])('a replay since %s that is requested at 2026-01-31T00:00Z has the error: %s', (since, problem) => {
  expect(problemOfSince(new Date(since), now)).toBe(problem);
});
