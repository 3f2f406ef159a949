import { expect, test } from 'vitest';
import { GROUNDS } from '../domain/accent-color.ts';
import { LOOKS, STATUS_COLORS } from './status-colors.ts';

/** Returns the relative luminance of a `#RRGGBB` color (WCAG 2.2). */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const value = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

test.each(LOOKS)('the colors of %s have enough contrast', (look) => {
  const { light, dark } = STATUS_COLORS[look];
  for (const [text, ground] of [
    [light, GROUNDS.light.card],
    [light, GROUNDS.light.page],
    ['#ffffff', light],
    [dark, GROUNDS.dark.card],
    [dark, GROUNDS.dark.page],
  ] as const) {
    expect(contrastOf(text, ground)).toBeGreaterThanOrEqual(4.5);
  }
});
