import { randomBytes } from 'node:crypto';
import { prepareServiceDatabase } from '@tocsin/database';
import pg from 'pg';
import { inject } from 'vitest';

export interface TestDatabase extends AsyncDisposable {
  /** Connection URL of a role that owns one empty schema and sees no other, like the role of a service. */
  readonly url: string;
  readonly schema: string;
}

/** Creates a schema with its own role in the run's PostgreSQL. Disposing drops both and closes their connections. */
export async function testDatabase(name: string): Promise<TestDatabase> {
  const adminUrl = inject('postgresUrl');
  const schema = `${name}_${randomBytes(6).toString('hex')}`;
  const url = await prepareServiceDatabase(adminUrl, { schema, role: schema, password: 'secret' });
  return { url, schema, [Symbol.asyncDispose]: () => drop(adminUrl, schema) };
}

async function drop(adminUrl: string, schema: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const name = pg.escapeIdentifier(schema);
    await client.query(`ALTER ROLE ${name} NOLOGIN`);
    await client.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = $1', [schema]);
    await client.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`);
    await client.query(`DROP OWNED BY ${name}`);
    await client.query(`DROP ROLE ${name}`);
  } finally {
    await client.end();
  }
}
