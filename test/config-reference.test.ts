import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { configReference, REFERENCE } from './config-reference.ts';

test('the configuration reference is up to date, and describes every variable', async () => {
  const written = await readFile(REFERENCE, 'utf8');
  // If this fails, run `npm run config-reference`.
  expect(written).toBe(await configReference());
  const rows = written.split('\n').filter((line) => line.startsWith('| `TOCSIN_'));
  expect(rows.length).toBeGreaterThan(90);
  expect(rows.filter((row) => row.endsWith('|  |'))).toEqual([]);
});
