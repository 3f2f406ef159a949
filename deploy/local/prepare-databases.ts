import { prepareServiceDatabase } from '@tocsin/database';
import { messageOf, Problem } from '@tocsin/dev-servers/problem';
import { migrateProgram } from './migrate.ts';
import type { Secrets } from './secrets.ts';
import { type StoredName, storedNames } from './service-names.ts';

/**
 * Creates a schema and two roles for each service, and migrates the schemas. One role owns the schema. The service uses
 * the other role, which owns nothing. Returns the services' database URLs with the roles that own nothing.
 */
export async function prepareDatabases(adminUrl: string, secrets: Secrets): Promise<Record<StoredName, string>> {
  try {
    const urls = await Promise.all(
      storedNames.map(async (name) => {
        const owner = { name: `tocsin_${name}`, password: secrets.databases[name] };
        const runtime = { name: `tocsin_${name}_runtime`, password: secrets.runtimeDatabases[name] };
        const urls = await prepareServiceDatabase(adminUrl, { schema: name, owner, runtime });
        await migrateProgram(name, urls);
        return [name, urls.url] as const;
      }),
    );
    return Object.fromEntries(urls) as Record<StoredName, string>;
  } catch (error) {
    const { host, pathname } = URL.canParse(adminUrl) ? new URL(adminUrl) : { host: '(not a URL)', pathname: '' };
    throw new Problem(
      `The database at ${host}${pathname} can't be prepared: ${messageOf(error)}. ` +
        'It has to be up, and the role in TOCSIN_DATABASE_URL has to be allowed to create roles and schemas.',
      { cause: error },
    );
  }
}
