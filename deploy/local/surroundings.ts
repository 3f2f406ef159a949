import { statfs } from 'node:fs/promises';
import { connect } from 'node:net';
import { prepareServiceDatabase } from '@tocsin/database';
import { messageOf, Problem } from '@tocsin/dev-servers/problem';
import { migrateProgram } from './migrate.ts';
import type { Secrets } from './secrets.ts';
import { type StoredName, storedNames } from './service-names.ts';

const leastDisk = 300 * 1024 * 1024;

/**
 * Checks the free disk space.
 * @throws Problem if the disk is almost full, because PostgreSQL stops when the disk is full.
 */
export async function checkDisk(dataDir: string): Promise<void> {
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize >= leastDisk) return;
  const free = Math.floor((bavail * bsize) / 1024 / 1024);
  throw new Problem(`The disk of ${dataDir} is (nearly) full: ${free} MB are free, and Tocsin needs 300 MB to start.`);
}

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

/**
 * Checks that something listens at TOCSIN_NATS_URL.
 * @throws Problem if the URL is invalid or the server can't be reached.
 */
export async function checkNats(url: string): Promise<undefined> {
  if (!URL.canParse(url))
    throw new Problem('TOCSIN_NATS_URL is no URL: it should be like nats://user:password@host:4222.');
  const { hostname, port } = new URL(url);
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port || 4222), timeout: 5_000 });
    const away = (why: string) => {
      socket.destroy();
      reject(new Problem(`The NATS server at ${hostname}:${port || 4222} (TOCSIN_NATS_URL) can't be reached: ${why}.`));
    };
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', (error) => away(messageOf(error)));
    socket.once('timeout', () => away('no response within 5 s'));
  });
  return undefined;
}
