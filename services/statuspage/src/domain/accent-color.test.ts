import { expect, test } from 'vitest';
import { adjustAccent, contrastOf, GROUNDS } from './accent-color.ts';

/** Thirty accent colors: extremes, pure and pale colors, and well-known brand colors. */
const ACCENTS = [
  '#000000 #ffffff #808080 #f6f7f9 #0e1116 #ff0000 #00ff00 #0000ff #ffff00 #00ffff',
  '#ff00ff #fffbcc #ccffee #ffd6e7 #12ab34 #1da1f2 #635bff #ff9900 #e50914 #7c3aed',
  '#0f172a #14532d #7f1d1d #facc15 #06b6d4 #f472b6 #a3e635 #6b4f2a #2b2d42 #d4af37',
].flatMap((row) => row.split(' '));

test('the contrast is 21 between black and white, and 1 between a color and itself', () => {
  expect(contrastOf('#000000', '#ffffff')).toBeCloseTo(21, 5);
  expect(contrastOf('#12ab34', '#12ab34')).toBe(1);
});

test.each(ACCENTS)('the accent %s has enough contrast on both backgrounds of both themes', (accent) => {
  for (const { page, card } of Object.values(GROUNDS)) {
    for (const contrast of [3, 4.5]) {
      const adjusted = adjustAccent(accent, [page, card], contrast);
      expect(adjusted).toMatch(/^#[0-9a-f]{6}$/);
      expect(contrastOf(adjusted, page)).toBeGreaterThanOrEqual(contrast);
      expect(contrastOf(adjusted, card)).toBeGreaterThanOrEqual(contrast);
    }
  }
});

test('an accent with enough contrast stays the same, and any other accent changes no more than necessary', () => {
  const { page, card } = GROUNDS.light;
  expect(adjustAccent('#7C3AED', [page, card], 4.5)).toBe('#7c3aed');
  expect(contrastOf(adjustAccent('#12ab34', [page, card], 3), page)).toBeLessThan(3.05);
  expect(
    contrastOf(adjustAccent('#0f172a', [GROUNDS.dark.page, GROUNDS.dark.card], 3), GROUNDS.dark.card),
  ).toBeLessThan(3.05);
});

test('an adjusted accent keeps its hue, so a dark blue on a dark background stays blue', () => {
  const hex = adjustAccent('#0000ff', [GROUNDS.dark.page, GROUNDS.dark.card], 4.5);
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  expect(blue).toBeGreaterThan(Math.max(red, green) + 60);
});
