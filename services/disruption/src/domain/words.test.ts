import { expect, test } from 'vitest';
import { describeEnd, describeStart, forVisitors, titleOf } from './words.ts';

const monitor = { id: 'm1', name: 'Shop' };
const at = new Date('2026-01-01T00:00:00Z');

test("a title is the monitor's name and its state", () => {
  expect(titleOf('Shop')).toBe('Shop is down');
});

test.each([
  ['letters', 'x'],
  ['characters of two code units', '🛒'],
])('the longest name, of %s, is cut and the verdict stays', (_, character) => {
  const title = titleOf(character.repeat(255));
  expect([...title]).toHaveLength(255);
  expect(title).toMatch(/… is down$/);
  expect(title.isWellFormed()).toBe(true);
  expect(titleOf(character.repeat(247))).toBe(`${character.repeat(247)} is down`);
});

test('without an explanation only the first sentence is shown', () => {
  expect(describeStart({ monitor, explanation: '' })).toBe('Shop does not work as it should. We are looking into it.');
});

test.each([
  ['recovered', /works again. It was down for 1 min\./],
  ['disabled', /not being checked at the moment/],
  ['deleted', /no longer checked/],
] as const)('an end because the monitor %s says so', (kind, words) => {
  expect(describeEnd({ kind, monitor, at }, 60_000)).toMatch(words);
});

test('visitors do not see what the checks saw', () => {
  const explanation = '1 of 1 region failed: connection refused by 10.0.0.7:5432';
  const body = describeStart({ monitor, explanation });
  expect(body).toContain(explanation);
  expect(forVisitors(body)).toBe(describeStart({ monitor, explanation: '' }));
  expect(forVisitors('A person\n\nwrote this.')).toBe('A person\n\nwrote this.');
});
