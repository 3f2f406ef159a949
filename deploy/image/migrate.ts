/**
 * Migrates the databases of all services, and exits. Reads the services' configuration: TOCSIN_DATABASE_URL (or
 * TOCSIN_MONITOR_DATABASE_URL and so on), and TOCSIN_OWNER_DATABASE_URL for the role that owns the tables. Without
 * TOCSIN_OWNER_DATABASE_URL, the services own their tables. Several instances of this program may run at the same time.
 */
import { openDatabase } from '@tocsin/database';
import { MIGRATIONS, migrateProgram } from '@tocsin/local/migrate';
import { type StoredName, storedNames } from '@tocsin/local/service-names';
import { ConfigError, ConfigReader, createRuntime, untilItWorks } from '@tocsin/runtime';

/** Seconds to wait for a database that is still starting, for example because it was installed together with Tocsin. */
const WAIT_SECONDS = 60;

async function migrateAll(env: NodeJS.ProcessEnv): Promise<void> {
  const read = new ConfigReader(env);
  const databases = read.done(
    storedNames.map((name) => ({ name, url: read.databaseUrl(name), ownerUrl: read.ownerDatabaseUrl(name) })),
  );
  const waiting = createRuntime('migrate', { signal: AbortSignal.timeout(WAIT_SECONDS * 1000) });
  for (const database of databases) {
    await untilItWorks('the database', waiting, () => migrate(database));
    process.stdout.write(`${database.name}: migrated to ${MIGRATIONS[database.name].at(-1)?.name}\n`);
  }
}

async function migrate({ name, url, ownerUrl }: { name: StoredName; url: string; ownerUrl: string | undefined }) {
  if (ownerUrl !== undefined) return migrateProgram(name, { ownerUrl, url });
  await using _database = await openDatabase({ url, entities: [], migrations: MIGRATIONS[name] });
}

try {
  await migrateAll(process.env);
} catch (error) {
  const text = error instanceof ConfigError ? `the configuration is wrong:\n${error.message}` : String(error);
  process.stderr.write(`Migrating failed: ${text}\n`);
  process.exitCode = 1;
}
