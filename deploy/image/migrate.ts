/**
 * Migrates the databases of all services that have one, and exits. The configuration is that of the services:
 * TOCSIN_DATABASE_URL, or TOCSIN_MONITOR_DATABASE_URL and so on. It is safe to run several at once.
 */
import { openDatabase } from '@tocsin/database';
import { migrations as disruption } from '@tocsin/disruption/migrations';
import { migrations as gateway } from '@tocsin/gateway/migrations';
import { migrations as identity } from '@tocsin/identity/migrations';
import { migrations as monitor } from '@tocsin/monitor/migrations';
import { migrations as notifier } from '@tocsin/notifier/migrations';
import { ConfigError, ConfigReader, createRuntime, untilItWorks } from '@tocsin/runtime';
import { migrations as statuspage } from '@tocsin/statuspage/migrations';

const services = { identity, monitor, disruption, statuspage, notifier, gateway };

/** Seconds to wait for a database that is being started, as in a trial that installs both. */
const WAIT_SECONDS = 60;

async function migrateAll(env: NodeJS.ProcessEnv): Promise<void> {
  const read = new ConfigReader(env);
  const urls = read.done(Object.keys(services).map((service) => read.databaseUrl(service)));
  const waiting = createRuntime('migrate', { signal: AbortSignal.timeout(WAIT_SECONDS * 1000) });
  for (const [index, [service, migrations]] of Object.entries(services).entries()) {
    const open = () => openDatabase({ url: urls[index] ?? '', entities: [], migrations });
    await using _database = await untilItWorks('the database', waiting, open);
    process.stdout.write(`${service}: migrated to ${migrations.at(-1)?.name}\n`);
  }
}

try {
  await migrateAll(process.env);
} catch (error) {
  const text = error instanceof ConfigError ? `the configuration is wrong:\n${error.message}` : String(error);
  process.stderr.write(`Migrating failed: ${text}\n`);
  process.exitCode = 1;
}
