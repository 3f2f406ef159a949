import pg from 'pg';
import { expect, test } from 'vitest';
import { readBatch } from '../src/outbox-rows.ts';
import { markPublished } from '../src/published-events.ts';
import { openFixture, query, say } from './outbox-fixture.ts';

test('the statements with which the relay publishes an event reuse their plans', async () => {
  await using fixture = await openFixture();
  const client = new pg.Client({ connectionString: fixture.databaseUrl });
  await client.connect();
  await client.query('set tocsin.every_organization to on');
  for (let event = 1; event <= 10; event += 1) {
    await say(fixture.database, crypto.randomUUID(), `event ${event}`);
    const { rows } = await readBatch(client, [], 1_000_000);
    expect(rows).toHaveLength(1);
    await markPublished(
      client,
      rows.map(({ position }) => ({ position, streamSequence: event })),
    );
  }
  const planned = await client.query(
    `select name, generic_plans + custom_plans as executions, custom_plans <= 5 as reuses_plan
     from pg_prepared_statements order by name`,
  );
  await client.end();
  expect(planned.rows).toEqual([
    { name: 'tocsin_mark_published', executions: '10', reuses_plan: true },
    { name: 'tocsin_read_batch', executions: '10', reuses_plan: true },
  ]);
  expect(await query(fixture.database, 'select from published_event')).toHaveLength(10);
});
