import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startVitest } from 'vitest/node';
import { Tally } from './tally.ts';

let root: string;
const exitCode = process.exitCode;

beforeEach(async () => {
  // The folder is inside the workspace, so that the test files can import vitest.
  root = await mkdtemp(join(import.meta.dirname, '.tally-'));
});

afterEach(async () => {
  await rm(root, { recursive: true });
  // Restores the exit code, because the runs in these tests fail on purpose.
  process.exitCode = exitCode;
});

async function tallyOf(files: Record<string, string>): Promise<Tally> {
  for (const [name, body] of Object.entries(files)) {
    const imports = "import { afterAll, describe, expect, test } from 'vitest';\n";
    await writeFile(join(root, `${name}.test.ts`), imports + body);
  }
  const tally = new Tally();
  await startVitest([], { root, config: false, watch: false, reporters: [tally] });
  return tally;
}

test('tests are counted across all files', async () => {
  const tally = await tallyOf({
    one: "test('a', () => {}); describe('more', () => { test('b', () => {}); });",
    two: "test('c', () => expect(1).toBe(2)); test.skip('d', () => {}); test.todo('e');",
  });
  expect(tally).toMatchObject({ passed: 2, failed: 1, skipped: 2 });
});

test('failures are collected with file, test name and the first line of the error', async () => {
  const tally = await tallyOf({
    one: "describe('more', () => { test('a', () => { throw new Error('no\\nstack'); }); });",
    broken: "test('b', () => {}); afterAll(() => { throw new Error('not closed'); });",
  });
  expect(tally.failures.toSorted()).toEqual(['broken.test.ts: not closed', 'one.test.ts > more > a: no']);
});

test('a test that passes on its second attempt is listed as flaky, with the error of its first attempt', async () => {
  const tally = await tallyOf({
    one: "let attempts = 0; test('a', { retry: 1 }, () => { if (++attempts === 1) throw new Error('slow'); });",
  });
  expect(tally).toMatchObject({ passed: 1, failed: 0, failures: [], flaky: ['one.test.ts > a: slow'] });
});

test('a file that fails to load counts as one failed test', async () => {
  const tally = await tallyOf({ one: "test('a', () => {});", broken: "await import('./missing.ts');" });
  expect(tally).toMatchObject({ passed: 1, failed: 1 });
});

test('a hook that throws counts as one failed test', async () => {
  const tally = await tallyOf({ one: "test('a', () => {}); afterAll(() => { throw new Error('no'); });" });
  expect(tally).toMatchObject({ passed: 1, failed: 1 });
});

test('an unhandled error counts as one failed test', async () => {
  const tally = await tallyOf({ one: "test('a', () => { void Promise.reject(new Error('lost')); });" });
  expect(tally).toMatchObject({ passed: 1, failed: 1 });
});
