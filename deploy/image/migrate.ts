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
import { ConfigError, ConfigReader } from '@tocsin/runtime';
import { migrations as statuspage } from '@tocsin/statuspage/migrations';

const services = { identity, monitor, disruption, statuspage, notifier, gateway };

async function migrateAll(env: NodeJS.ProcessEnv): Promise<void> {
  const read = new ConfigReader(env);
  const urls = read.done(Object.keys(services).map((service) => read.databaseUrl(service)));
  for (const [index, [service, migrations]] of Object.entries(services).entries()) {
    await using _database = await openDatabase({ url: urls[index] ?? '', entities: [], migrations });
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
