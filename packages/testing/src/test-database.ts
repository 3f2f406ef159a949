import { randomBytes } from 'node:crypto';
import { prepareServiceDatabase } from '@tocsin/database';
import pg from 'pg';
import { inject } from 'vitest';

export interface TestDatabase extends AsyncDisposable {
  /** Connection URL with a role that owns one empty schema and has no access to other schemas. */
  readonly url: string;
  /**
   * Connection URL with the role that a service uses at runtime. The role has no rights until a migration grants them.
   */
  readonly runtimeUrl: string;
  readonly schema: string;
}

/**
 * Creates a schema with its own roles in the run's PostgreSQL. Disposing drops the schema and the roles, and closes
 * their connections.
 */
export async function testDatabase(name: string): Promise<TestDatabase> {
  const adminUrl = inject('postgresUrl');
  const schema = `${name}_${randomBytes(6).toString('hex')}`;
  const owner = { name: schema, password: 'secret' };
  const runtime = { name: `${schema}_runtime`, password: 'secret' };
  const { ownerUrl, url } = await prepareServiceDatabase(adminUrl, { schema, owner, runtime });
  const drop = () => dropSchema(adminUrl, schema, [owner.name, runtime.name]);
  return { url: ownerUrl, runtimeUrl: url, schema, [Symbol.asyncDispose]: drop };
}

async function dropSchema(adminUrl: string, schema: string, roles: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const names = roles.map((role) => pg.escapeIdentifier(role));
    for (const name of names) await client.query(`ALTER ROLE ${name} NOLOGIN`);
    await client.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = any($1)', [roles]);
    await client.query(`DROP SCHEMA IF EXISTS ${pg.escapeIdentifier(schema)} CASCADE`);
    await client.query(`DROP OWNED BY ${names.join(', ')}`);
    await client.query(`DROP ROLE ${names.join(', ')}`);
  } finally {
    await client.end();
  }
}
