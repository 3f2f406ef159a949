import { setTimeout as pause } from 'node:timers/promises';
import { eventually, seededRandom } from '@tocsin/testing';
import { expect, test } from 'vitest';
import { startConsumer, startRelay } from '../src/index.ts';
import { consumedBy, openFixture, query, recording, say, source, startReplica } from './outbox-fixture.ts';
import { runProgram } from './run-program.ts';

/** Milliseconds after which messages of a killed consumer are redelivered. */
const REDELIVERY_MS = 10_000;

test.concurrent('an event is not applied again after its consumer is killed between commit and acknowledgement', {
  timeout: 180_000,
}, async () => {
  await using fixture = await openFixture();
  await using replica = await startReplica(fixture.nats.url);
  await using _relay = startRelay({ databaseUrl: fixture.databaseUrl, ...replica });
  const aggregate = crypto.randomUUID();
  await say(fixture.database, aggregate, 'one', 'two', 'three');
  await using program = await runProgram(
    'consuming-program.ts',
    fixture.databaseUrl,
    fixture.nats.url,
    'reader',
    'die-after-commit',
  );
  await program.ended;
  expect(await consumedBy(fixture.database, 'reader', aggregate)).toEqual(['one']);

  const options = { name: 'reader', source, handlers: [recording('reader')], database: fixture.database, ...replica };
  await using _consumer = await startConsumer(options);
  await eventually(
    async () => expect(await consumedBy(fixture.database, 'reader', aggregate)).toEqual(['one', 'two', 'three']),
    { timeoutMs: REDELIVERY_MS + 10_000 },
  );
});

test.concurrent('each committed event is applied once and in order, even if programs are killed at random moments', {
  timeout: 180_000,
}, async () => {
  await using fixture = await openFixture();
  await using replica = await startReplica(fixture.nats.url);
  const { database, databaseUrl, nats } = fixture;
  const aggregates = Array.from({ length: 20 }, () => crypto.randomUUID());
  const steady = { name: 'steady', source, handlers: [recording('steady')], database, ...replica };
  await using _steady = await startConsumer(steady);

  await Promise.all([
    killAgainAndAgain('publishing-program.ts', databaseUrl, nats.url, ...aggregates),
    killAgainAndAgain('consuming-program.ts', databaseUrl, nats.url, 'hunted'),
  ]);

  await using after = await startReplica(nats.url);
  await using _relay = startRelay({ databaseUrl, ...after });
  await using _consumer = await startConsumer({ ...steady, ...after, name: 'hunted', handlers: [recording('hunted')] });
  const said = await query<{ count: number }>(database, 'select count(*) from said');
  expect(said[0]?.count).toBeGreaterThan(20);
  for (const consumer of ['steady', 'hunted']) {
    await eventually(
      async () => {
        const sql = 'select count(*) from consumed where consumer = $1';
        expect(await query(database, sql, [consumer])).toEqual(said);
      },
      { timeoutMs: REDELIVERY_MS * 3, intervalMs: 200 },
    );
    expect(await query(database, differences, [consumer])).toEqual([]);
  }
  const waited = "select position from waiting_event where consumer = 'hunted'";
  await eventually(async () => expect(await query(database, waited)).toEqual([]), { timeoutMs: 20_000 });
  const [last] = await query<{ last: number }>(
    database,
    "select last_value as last from pg_sequences where sequencename = 'waiting_event_position_seq' and schemaname = current_schema()",
  );
  expect(last?.last).toBeGreaterThan(0);
});

/** SQL that selects the events that a consumer did not get, got twice, or got out of order. */
const differences = `
  with consumed as (
    select *, row_number() over (partition by aggregate_id order by position) as place from consumed where consumer = $1
  )
  select text, sequence, place, said.text as said from consumed full join said using (aggregate_id, text)
  where sequence is distinct from place or said.text is null or consumed.text is null`;

const random = seededRandom('kill');

/** Runs a program and kills it at a random moment. Repeats this five times. */
async function killAgainAndAgain(program: string, ...args: string[]): Promise<void> {
  for (let death = 1; death <= 5; death += 1) {
    await using running = await runProgram(program, ...args);
    await pause(random() * 600);
    await running.kill();
  }
}
