import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { allTargets, check } from './hostile/all-targets.ts';
import { answering, Fixture, type Started } from './hostile/target.ts';

const fixture = new Fixture();
afterAll(() => fixture[Symbol.asyncDispose]());

const MIB = 1024 * 1024;

const PATIENCE_MS = 20_000;

test('a healthy target passes while all hostile targets are checked five times concurrently', async () => {
  const hello = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello';
  const good = await answering(hello, 'close', { expected_keyword: 'hello' })(fixture);
  const bad = allTargets().filter(({ outcome }) => outcome !== 'pass');
  let left = 5 * bad.length;
  const passed: string[] = [];
  const checks = Array.from({ length: 5 }, () => bad)
    .flat()
    .map(async ({ start, what }) => {
      const { outcome } = await check(await start(fixture), 3_000);
      if (outcome === 'pass') passed.push(what);
      left -= 1;
    });
  while (left > 0) expect(await check(good, PATIENCE_MS)).toMatchObject({ outcome: 'pass', error: '' });
  await Promise.all(checks);
  expect(passed).toEqual([]);
});

test('for each encoding, twenty concurrent checks of a compression bomb use less than 160 MiB of memory', async () => {
  const server = fork(join(import.meta.dirname, 'hostile/serve-bombs.ts'));
  fixture.defer(() => void server.kill());
  const [bombs = []]: Started[][] = await once(server, 'message');
  for (const bomb of bombs) await check(bomb, PATIENCE_MS);
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 2);
  for (const bomb of bombs) {
    const seen = await Promise.all(Array.from({ length: 20 }, () => check(bomb, PATIENCE_MS)));
    expect(new Set(seen.map(({ outcome }) => outcome))).toEqual(new Set(['fail']));
  }
  clearInterval(timer);
  // The memory limit below is far less than the size of twenty fully decompressed bodies, 1,280 MiB.
  expect(bombs).toHaveLength(4);
  expect((most - before) / MIB).toBeLessThan(160);
});
