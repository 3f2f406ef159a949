import { testDatabase } from '@tocsin/testing';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { openDatabase } from '../src/index.ts';
import { acme, migrations } from './sample.ts';

const scope = { organizationId: acme };

test('statements wait while the server accepts no more connections, and fail if that lasts', async () => {
  await using schema = await testDatabase('connections');
  await using database = await openDatabase({
    url: schema.runtimeUrl,
    ownerUrl: schema.url,
    entities: [],
    migrations,
    poolSize: 4,
  });
  await using superuser = await connect(inject('postgresUrl'));
  const role = pg.escapeIdentifier(new URL(schema.runtimeUrl).username);
  await superuser.client.query(`alter role ${role} connection limit 1`);

  const slow = () => database.transaction(scope, (tx) => tx.query('select pg_sleep(0.3)'));
  const fast = () => database.read(scope, 'select 1 as one');
  // One connection serves all of them, one after the other.
  await Promise.all([slow(), slow(), fast(), fast()]);

  // The connection of the pool stays in use for longer than the others wait.
  const longest = database.transaction(scope, (tx) => tx.query('select pg_sleep(7)'));
  await expect(fast()).rejects.toMatchObject({ kind: 'unavailable' });
  await longest;
});

async function connect(url: string) {
  const client = new pg.Client(url);
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
}
