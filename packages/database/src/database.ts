import { setTimeout as delay } from 'node:timers/promises';
import type { EntitySchema } from '@mikro-orm/core';
import type { MikroORM } from '@mikro-orm/postgresql';
import { ServiceError } from '@tocsin/errors';
import pg, { type Pool } from 'pg';
import { checkMigrated, isMigrated } from './check-migrated.ts';
import type { Connected, ConnectOptions } from './connect.ts';
import { ensureSchema } from './ensure-schema.ts';
import { asServiceError, isLockTimeout, isPlanOutdated, isRetryable } from './failures.ts';
import type { StatementNames } from './prepared-statements.ts';
import type { QueryLimits } from './query-timeout.ts';
import type { Scope } from './row-security.ts';
import { runOnce } from './run-once.ts';
import { grantRuntimeRole } from './runtime-role.ts';
import type { SqlMigration } from './sql-migration.ts';
import { runTransaction, type Transaction } from './transaction.ts';

export interface Database extends AsyncDisposable {
  /** Connection URL, for code that requires its own connection (LISTEN, advisory locks). */
  readonly url: string;
  /** Number of calls of `transaction` that have ended. While it is the same, this process has changed no rows. */
  readonly endedTransactions: number;
  /**
   * Runs `work` in a transaction that sees only rows of `scope`, and commits the transaction. After a deadlock or
   * serialization failure `work` runs again, so it must not have effects outside the database. In a call that only
   * validates (see validateOnly), a transaction that writes is rolled back and fails with kind `invalid`.
   * @throws ServiceError `unavailable` if the database is unreachable or does not respond in time.
   */
  transaction<Result>(scope: Scope, work: (tx: Transaction) => Promise<Result>, limits?: QueryLimits): Promise<Result>;
  /**
   * Runs one read-only query in a single round trip. Returns rows in the same form as `query` in a `transaction`.
   * @throws ServiceError `unavailable` if the database is unreachable or does not respond in time.
   */
  read<Row extends object>(scope: Scope, sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /**
   * Runs one statement that updates counters, in one round trip and without waiting for the disk. If PostgreSQL
   * crashes, the update may be lost.
   * @throws ServiceError `unavailable` if the database is unreachable or does not respond in time.
   */
  count<Row extends object>(scope: Scope, sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /**
   * Checks the connection.
   * @throws Error if the database does not respond.
   */
  ping(): Promise<void>;
}

export interface DatabaseOptions {
  /**
   * Connection URL: `postgres://role:password@host:port/database`. The search_path of the role or of the URL names the
   * service's schema. The schema is created if it does not exist.
   */
  readonly url: string;
  /**
   * Connection URL with the role that owns the schema. Migrations run as this role, and grant the role of `url` its
   * rights. If absent, the role of `url` runs the migrations and owns the tables.
   */
  readonly ownerUrl?: string | undefined;
  readonly entities: readonly EntitySchema[];
  /** Migrations in order of execution. */
  readonly migrations: readonly SqlMigration[];
  readonly poolSize?: number;
  /** Maximum time to wait for the result of a statement, in milliseconds. Migrations have no limit. */
  readonly queryTimeoutMs?: number;
  /**
   * Whether to throw an error if a migration is missing, instead of running it. With this option, nothing in the
   * database is changed.
   */
  readonly expectMigrated?: boolean | undefined;
}

const ATTEMPTS = 4;

/**
 * Maximum time that a migration waits for a lock, in milliseconds. Statements of running services on the same table
 * queue behind the migration, so it must not wait for the end of a long transaction, such as a dump.
 */
const MIGRATION_LOCK_TIMEOUT_MS = 2_000;

/** Time between two attempts to migrate, in milliseconds, in which the queued statements run. */
const MIGRATION_PAUSE_MS = 3_000;

const MIGRATION_ATTEMPTS = 12;

/**
 * Default of `queryTimeoutMs`. Without a limit, a statement that is sent to a host that has vanished from the network
 * would wait until the operating system gives up after 15 minutes, even if another host has taken over by then.
 */
export const QUERY_TIMEOUT_MS = 30_000;

/**
 * Time after which an unused connection, or one that waits for a result, is probed, in milliseconds. If the host has
 * vanished, the connection is lost about 10 seconds later.
 */
export const KEEP_ALIVE_DELAY_MS = 10_000;

/** Takes the migration lock of a schema until the transaction ends, without a limit of the wait. */
const LOCK_SQL = 'set local lock_timeout = 0; select pg_advisory_xact_lock(hashtext(current_schema()), 7305511)';

/**
 * Connects, and runs new migrations. If several replicas start together, they migrate one after the other.
 * @throws ServiceError `unavailable` if the database is unreachable, or if `expectMigrated` is set and a migration is
 * missing.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  let database: OrmDatabase | undefined;
  try {
    const { url, ownerUrl, expectMigrated, migrations, queryTimeoutMs = QUERY_TIMEOUT_MS } = options;
    if (expectMigrated) await checkMigrated(url, migrations);
    else if (ownerUrl !== undefined) await migrateDatabase({ ownerUrl, url, migrations });
    else await runMigrations(url, migrations);
    const schema = await ensureSchema(url);
    database = new OrmDatabase(url, await connect({ ...options, queryTimeoutMs }, schema));
    // Runs the ORM's first query, which creates its connection pool.
    await database.ping();
    return database;
  } catch (error) {
    await database?.[Symbol.asyncDispose]();
    throw asServiceError(error);
  }
}

/**
 * Runs new migrations as the owner of the schema, and grants the role of `url` the rights that a service needs. If
 * several programs migrate at once, they do so one after the other.
 * @throws ServiceError `unavailable` if the database is unreachable; `conflict` if the role of `url` does not exist and
 * the owner may not create it.
 */
export async function migrateDatabase({
  ownerUrl,
  url,
  migrations,
}: Required<Pick<DatabaseOptions, 'url' | 'migrations'>> & { readonly ownerUrl: string }): Promise<void> {
  try {
    await runMigrations(ownerUrl, migrations);
    await withMigrationLock(ownerUrl, (client) => grantRuntimeRole(client, url));
  } catch (error) {
    throw asServiceError(error);
  }
}

/**
 * Runs new migrations as the role of `url`. Uses its own connections, because migrations wait for each other and may
 * run statements that take long.
 */
async function runMigrations(url: string, migrations: readonly SqlMigration[]): Promise<void> {
  const schema = await ensureSchema(url);
  if (await isMigrated(url, migrations)) return;
  const options = { url, entities: [], migrations, poolSize: 2, lockTimeoutMs: MIGRATION_LOCK_TIMEOUT_MS };
  await using owner = new OrmDatabase(url, await connect(options, schema));
  await owner.migrate();
}

/**
 * Repeats `migrate` while one of its statements can't get a lock in time, or after a deadlock with a running service.
 * @throws ServiceError `unavailable` if the lock is not released within about a minute.
 */
async function retryLocked(migrate: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await migrate();
      return;
    } catch (error) {
      if (!isLockTimeout(error) && !isRetryable(error)) throw error;
      if (attempt >= MIGRATION_ATTEMPTS) {
        const message = 'a migration needs a table that a long transaction uses, such as a dump; start again after it';
        throw new ServiceError('unavailable', message, { cause: error });
      }
      await delay(MIGRATION_PAUSE_MS);
    }
  }
}

/** Runs `work` in a transaction that holds the migration lock. */
async function withMigrationLock(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // Ignore the event, because a broken connection also fails the running query.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('begin');
    await client.query(LOCK_SQL);
    await work(client);
    await client.query('commit');
  } finally {
    await client.end();
  }
}

/** Connects with the ORM, which is loaded now, because a program that only finds its database migrated needs no ORM. */
async function connect(options: ConnectOptions, schema: string): Promise<Connected> {
  const { connectOrm } = await import('./connect.ts');
  return connectOrm(options, schema);
}

class OrmDatabase implements Database {
  readonly url: string;
  endedTransactions = 0;
  readonly #orm: MikroORM;
  readonly #pool: Promise<Pool>;
  readonly #statements: StatementNames;

  constructor(url: string, { orm, pool, statements }: Connected) {
    this.url = url;
    this.#orm = orm;
    this.#pool = pool;
    this.#statements = statements;
  }

  async transaction<Result>(
    scope: Scope,
    work: (tx: Transaction) => Promise<Result>,
    limits: QueryLimits = {},
  ): Promise<Result> {
    try {
      return await this.#retry(async () => {
        const options = { orm: this.#orm, pool: await this.#pool, statements: this.#statements, scope, limits };
        return runTransaction(options, work);
      });
    } finally {
      // A transaction that fails may have committed, too, if the connection was lost during its commit.
      this.endedTransactions += 1;
    }
  }

  read<Row extends object>(scope: Scope, sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return this.#retry(async () =>
      runOnce<Row>(await this.#pool, 'read', { scope, statement: this.#statements.prepared(sql, parameters) }),
    );
  }

  count<Row extends object>(scope: Scope, sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return this.#retry(async () =>
      runOnce<Row>(await this.#pool, 'count', { scope, statement: this.#statements.prepared(sql, parameters) }),
    );
  }

  /** Runs `work`, and repeats it after a temporary failure, such as a deadlock. */
  async #retry<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (isPlanOutdated(error)) this.#statements.renew();
        else if (!isRetryable(error)) throw asServiceError(error);
        if (attempt >= ATTEMPTS) throw asServiceError(error);
      }
    }
  }

  async migrate(): Promise<void> {
    const lock = this.#orm.em.fork();
    // This transaction only holds the advisory lock. The migrations run on other connections of the pool.
    await lock.transactional(async (holder) => {
      await holder.execute(LOCK_SQL);
      await retryLocked(() => this.#orm.migrator.up());
    });
  }

  async ping(): Promise<void> {
    try {
      const [row] = await this.#orm.em.fork().execute<{ standby: boolean }[]>('select pg_is_in_recovery() as standby');
      if (row?.standby) throw new ServiceError('unavailable', 'the database is a standby, which refuses writes');
    } catch (error) {
      throw asServiceError(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#orm.close(true);
  }
}
