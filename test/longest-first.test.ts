import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TestSpecification, Vitest } from 'vitest/node';
import { FIRST_FILES, LongestFirst } from './longest-first.ts';

const root = join(import.meta.dirname, '..');

test.each(FIRST_FILES)('the test file %s exists', (path) => {
  expect(existsSync(join(root, path))).toBe(true);
});

test('the long test files come first in the order of the list, and all others keep the order of vitest', async () => {
  // vitest sorts files without results of an earlier run by their size.
  const vitest = { cache: { getTestSpecificationResult: () => undefined } } as unknown as Vitest;
  const project = { name: 'service', config: { sequence: { groupOrder: 0 }, isolate: true } };
  const paths = ['test/run.ts', FIRST_FILES[2], 'package.json', FIRST_FILES[0], 'pnpm-lock.yaml'];
  const files = paths.map((path) => ({ moduleId: `${root}/${path}`, project }) as unknown as TestSpecification);
  const sorted = await new LongestFirst(vitest).sort(files);
  expect(sorted.map(({ moduleId }) => moduleId.slice(root.length + 1))).toEqual([
    FIRST_FILES[0],
    FIRST_FILES[2],
    'pnpm-lock.yaml',
    'test/run.ts',
    'package.json',
  ]);
});
