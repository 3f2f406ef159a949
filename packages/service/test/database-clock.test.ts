import { createRuntime } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { expect, test, vi } from 'vitest';
import { startDatabaseClock } from '../src/index.ts';

const runtime = createRuntime('sample', { logLevel: 'silent' });

/** A database whose queries take some time, on a server whose clock can be set. */
function fakeDatabase() {
  const server = { time: Date.parse('2026-11-20T10:00:00Z'), elapsed: 0, queryMs: 10, isDown: false, reads: 0 };
  return {
    server,
    elapsed: () => server.elapsed,
    database: {
      async read<Row extends object>(): Promise<Row[]> {
        server.reads += 1;
        if (server.isDown) throw new Error('the database is unavailable');
        server.elapsed += server.queryMs / 2;
        const ms = server.time + server.elapsed;
        server.elapsed += server.queryMs / 2;
        return [{ ms }] as unknown as Row[];
      },
    },
  };
}

test('the clock shows the time of the database, regardless of the clock of this host', async () => {
  const { server, elapsed, database } = fakeDatabase();
  await using clock = await startDatabaseClock(database, runtime, { performanceNow: elapsed });
  expect(clock.now()).toEqual(new Date(server.time + server.elapsed));
  const hour = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
  server.elapsed += 5_000;
  expect(clock.now()).toEqual(new Date(server.time + server.elapsed));
  hour.mockRestore();
});

test('the clock advances while the database is unavailable, and then adopts the changed time of the database', async () => {
  const { server, elapsed, database } = fakeDatabase();
  await using clock = await startDatabaseClock(database, runtime, { performanceNow: elapsed, readEveryMs: 1 });
  const before = server.time;
  server.isDown = true;
  server.time -= 3_600_000;
  const { reads } = server;
  await eventually(() => expect(server.reads).toBeGreaterThan(reads));
  server.elapsed += 60_000;
  expect(clock.now()).toEqual(new Date(before + server.elapsed));
  server.isDown = false;
  await eventually(() => expect(clock.now()).toEqual(new Date(server.time + server.elapsed)));
});

test('a slow reading does not change the clock if its possible error exceeds its difference from the clock', async () => {
  const { server, elapsed, database } = fakeDatabase();
  await using clock = await startDatabaseClock(database, runtime, { performanceNow: elapsed, readEveryMs: 1 });
  server.queryMs = 4_000;
  server.time += 1_500;
  const { reads } = server;
  await eventually(() => expect(server.reads).toBeGreaterThan(reads + 1));
  expect(clock.now()).toEqual(new Date(server.time - 1_500 + server.elapsed));
});

test('read() corrects the clock after this host was suspended', async () => {
  const { server, elapsed, database } = fakeDatabase();
  await using clock = await startDatabaseClock(database, runtime, { performanceNow: elapsed });
  const before = clock.now();
  server.time += 60_000;
  expect(clock.now()).toEqual(before);
  expect((await clock.read()).getTime()).toBe(server.time + server.elapsed);
  expect(clock.now().getTime()).toBe(server.time + server.elapsed);
});
