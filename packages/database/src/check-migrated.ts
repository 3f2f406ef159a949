import { ServiceError } from '@tocsin/errors';
import pg from 'pg';
import { MIGRATIONS_TABLE } from './runtime-role.ts';
import type { SqlMigration } from './sql-migration.ts';

/**
 * Checks that all migrations ran. Accepts additional migrations of a newer version. Does not change the database.
 * @throws ServiceError `unavailable` with the name of the first missing migration.
 */
export async function checkMigrated(url: string, migrations: readonly SqlMigration[]): Promise<void> {
  const missing = await missingMigration(url, migrations);
  if (missing) throw new ServiceError('unavailable', `the database lacks the migration ${missing.name}`);
}

/** Returns whether all migrations ran. Does not change the database. */
export async function isMigrated(url: string, migrations: readonly SqlMigration[]): Promise<boolean> {
  return (await missingMigration(url, migrations)) === undefined;
}

/** Returns the first migration that did not run; undefined if all ran. */
async function missingMigration(url: string, migrations: readonly SqlMigration[]): Promise<SqlMigration | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // Ignore the event, because a broken connection also causes an error of the running query.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const finished = new Set(await finishedMigrations(client));
    return migrations.find(({ name }) => !finished.has(name));
  } finally {
    await client.end();
  }
}

async function finishedMigrations(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ exists: boolean }>('select to_regclass($1) is not null as exists', [
    MIGRATIONS_TABLE,
  ]);
  if (!rows[0]?.exists) return [];
  const finished = await client.query<{ name: string }>(`select name from ${MIGRATIONS_TABLE}`);
  return finished.rows.map(({ name }) => name);
}
