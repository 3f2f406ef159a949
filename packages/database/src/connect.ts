import type { MigrationObject } from '@mikro-orm/core';
import { Migration, Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { columnTypes } from './column-types.ts';
import { type DatabaseOptions, KEEP_ALIVE_DELAY_MS } from './database.ts';
import { discardLostConnections } from './lost-connections.ts';
import { StatementNames } from './prepared-statements.ts';
import type { SqlMigration } from './sql-migration.ts';
import { timeQueries } from './timed-queries.ts';

/**
 * Time after which an unused connection is closed. Connections stay open long enough for work that recurs every few
 * seconds, because a new connection is expensive: password authentication takes milliseconds of processor time on both
 * sides, and all statements are planned again.
 */
const IDLE_CONNECTION_MS = 60_000;

export interface Connected {
  readonly orm: MikroORM;
  /** The ORM's connection pool, which the ORM creates at its first query. */
  readonly pool: Promise<Pool>;
  readonly statements: StatementNames;
}

export interface ConnectOptions extends DatabaseOptions {
  /** Maximum time that a statement waits for a lock, in milliseconds. By default, there is no limit. */
  readonly lockTimeoutMs?: number;
}

/** Connects the ORM to a database whose schema has the name `schema`. */
export async function connectOrm(
  { url, entities, migrations, poolSize = 10, queryTimeoutMs, lockTimeoutMs }: ConnectOptions,
  schema: string,
): Promise<Connected> {
  const made = Promise.withResolvers<Pool>();
  const statements = new StatementNames();
  const orm = await MikroORM.init({
    clientUrl: url,
    entities: [...entities],
    extensions: [Migrator],
    discovery: { warnWhenNoEntities: false },
    pool: { min: 0, max: poolSize, idleTimeoutMillis: IDLE_CONNECTION_MS },
    driverOptions: {
      // The ORM reads only host, port, user and database from clientUrl. The driver also reads options and TLS settings
      // from this URL.
      connectionString: url,
      types: columnTypes,
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
      ...(lockTimeoutMs !== undefined && { lock_timeout: lockTimeoutMs }),
      // Allow several queries in flight on one connection, which runOnce() needs.
      pipeline: true,
      onPoolCreated(pool: Pool) {
        pool.on('connect', (client) => timeQueries(client, queryTimeoutMs));
        discardLostConnections(pool);
        made.resolve(pool);
      },
    },
    migrations: {
      migrationsList: migrations.map(toMigrationObject),
      // Without `schema`, the ORM looks for its table in `public`, but creates it in the schema of the search_path.
      schema,
      snapshot: false,
      silent: true,
      allOrNothing: false,
    },
    ignoreUndefinedInQuery: false,
  });
  return { orm, pool: made.promise, statements };
}

function toMigrationObject({ name, sql }: SqlMigration): MigrationObject {
  return {
    name,
    class: class extends Migration {
      override up() {
        this.addSql(sql);
      }
    },
  };
}
