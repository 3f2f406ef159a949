import { type Database, type DatabaseOptions, escapeOfRowSecurity, openDatabase } from '@tocsin/database';
import { type Runtime, untilItWorks } from '@tocsin/runtime';
import { DEFAULT_CONNECTIONS, type StorageConfig } from './service-config.ts';

/**
 * Opens the database of a program as soon as it is reachable, and adds it to the program's readiness. Logs a warning if
 * the role of the program can escape row-level security.
 */
export async function openServiceDatabase(
  {
    databaseUrl: url,
    ownerDatabaseUrl: ownerUrl,
    expectMigrated,
    connections: poolSize = DEFAULT_CONNECTIONS,
  }: StorageConfig,
  runtime: Runtime,
  schema: Pick<DatabaseOptions, 'entities' | 'migrations'>,
): Promise<Database> {
  const open = () => openDatabase({ url, ownerUrl, expectMigrated, poolSize, ...schema });
  const database = await untilItWorks('the database', runtime, open);
  runtime.readiness.add('database', () => database.ping());
  const reason = await escapeOfRowSecurity(url);
  if (reason !== undefined) {
    runtime.logger.warn(
      `the role of the database ${reason}, so that it can switch off row-level security; ` +
        'use another role, and set TOCSIN_OWNER_DATABASE_URL for migrations (docs/operations/database-roles.md)',
    );
  }
  return database;
}
