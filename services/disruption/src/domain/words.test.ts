import { expect, test } from 'vitest';
import { describeEnd, describeStart, titleOf } from './words.ts';

const monitor = { id: 'm1', name: 'Shop' };

test("the title of an automatic disruption contains the monitor's name and says that the monitor is down", () => {
  expect(titleOf('Shop')).toBe('Shop is down');
});

test.each([
  ['letters', 'x'],
  ['characters of two code units', '🛒'],
])('a monitor name of 255 %s is shortened in the title', (_, character) => {
  const title = titleOf(character.repeat(255));
  expect([...title]).toHaveLength(255);
  expect(title).toMatch(/… is down$/);
  expect(title.isWellFormed()).toBe(true);
  expect(titleOf(character.repeat(247))).toBe(`${character.repeat(247)} is down`);
});

test('the first entry of an automatic disruption names the monitor', () => {
  expect(describeStart({ monitor })).toBe('Shop is not working as expected. We are investigating.');
});

test.each([
  ['recovered', /works again. It was down for 1 min\./],
  ['went_down', /went down again/],
  ['disabled', /not being checked at the moment/],
  ['deleted', /no longer checked/],
] as const)('the last entry of an automatic disruption says why it ended: %s', (kind, words) => {
  expect(describeEnd({ kind, monitor }, 60_000)).toMatch(words);
});
