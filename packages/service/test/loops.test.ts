import { type Database, openDatabase, sqlMigration } from '@tocsin/database';
import { createRuntime, type LoopOutcome } from '@tocsin/runtime';
import { eventually, testDatabase } from '@tocsin/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startLoops } from '../src/index.ts';

const TASK_DUE = '(select min(due_at) from task)';
const runtime = createRuntime('sample', { logLevel: 'silent' });
let storage: Awaited<ReturnType<typeof testDatabase>>;
let database: Database;

beforeAll(async () => {
  storage = await testDatabase('loops');
  const migrations = [sqlMigration('001-tasks', 'create table task (due_at timestamptz)')];
  database = await openDatabase({ url: storage.url, entities: [], migrations });
});

beforeEach(() => query('delete from task'));

afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await storage[Symbol.asyncDispose]();
});

function query(sql: string, parameters: unknown[] = []): Promise<unknown[]> {
  return database.transaction('every organization', (tx) => tx.query(sql, parameters));
}

/** Returns work that deletes the due tasks, and counts its runs. */
function deleting(now: () => Date) {
  const work = {
    runs: 0,
    async run(): Promise<LoopOutcome> {
      work.runs += 1;
      await query('delete from task where due_at <= $1', [now()]);
      return 'done';
    },
  };
  return work;
}

/** Returns the database, and a function that waits until the due times were read several times. */
function counting() {
  let reads = 0;
  const read: Database['read'] = (...input) => {
    reads += 1;
    return database.read(...input);
  };
  return {
    database: { read, endedTransactions: 0 },
    async severalReads() {
      const before = reads;
      await eventually(() => expect(reads).toBeGreaterThan(before + 1));
    },
  };
}

test('a loop runs at the start, and later only when it has work at the time of the service', async () => {
  const noon = new Date('2026-07-01T12:00:00Z');
  const later = new Date(noon.getTime() + 60_000);
  let time = noon;
  const now = () => time;
  const work = deleting(now);
  const { severalReads, ...read } = counting();
  const loop = { name: 'working', everyMs: 1_000, dueSql: TASK_DUE, run: work.run };
  await using _loops = startLoops([loop], { ...read, runtime, now });
  await eventually(() => expect(work.runs).toBe(1));
  await query('insert into task values ($1)', [later]);
  await severalReads();
  expect(work.runs).toBe(1);
  time = later;
  await eventually(() => expect(work.runs).toBe(2));
  await severalReads();
  expect(work.runs).toBe(2);
});

test('one statement reads the due times of all loops', async () => {
  const now = () => new Date();
  const works = Array.from({ length: 10 }, () => deleting(now));
  const statements: string[] = [];
  const read: Database['read'] = (scope, sql, parameters) => {
    statements.push(sql);
    return database.read(scope, sql, parameters);
  };
  const loops = works.map(({ run }, index) => ({ name: `working ${index}`, everyMs: 1_000, dueSql: TASK_DUE, run }));
  await using _loops = startLoops(loops, { database: { read, endedTransactions: 0 }, runtime, now });
  await eventually(() => expect(statements).toHaveLength(2));
  expect(new Set(statements).size).toBe(1);
  expect(statements[0]?.split(TASK_DUE)).toHaveLength(11);
  expect(works.map(({ runs }) => runs)).toEqual(works.map(() => 1));
});
