import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { CHARTS, chartReadme, readmeOf } from './chart-readmes.ts';

test.each(CHARTS)('the README of the chart %s is up to date', async (chart) => {
  // If this fails, run `npm run chart-readmes`.
  expect(await readFile(readmeOf(chart), 'utf8')).toBe(await chartReadme(chart));
});
