import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { isValidateOnly, validError } from '@tocsin/runtime';
import type { CompiledQuery, ControlledTransaction, QueryResult } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { acquireConnection } from './acquire-connection.ts';
import { isAfterFailure, isStandby } from './failures.ts';
import type { StatementNames } from './prepared-statements.ts';
import { limited, type QueryLimits } from './query-timeout.ts';
import { type Scope, setScopeSql } from './row-security.ts';

/** An open transaction. Changes to entities in `em` are flushed before the commit. */
export interface Transaction {
  readonly em: EntityManager;
  /** Runs SQL with `$1` parameters. Returns timestamps as Date, and int8 and numeric as number. */
  query<Row = Record<string, unknown>>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /**
   * Sends a statement without waiting for its result, so that it costs no round trip. Later statements see its effect.
   * If it fails, the transaction fails with its error, even if `work` catches the errors of later statements.
   */
  send(sql: string, parameters?: readonly unknown[]): void;
}

export interface TransactionOptions {
  readonly orm: MikroORM;
  readonly pool: Pool;
  readonly statements: StatementNames;
  readonly scope: Scope;
  readonly limits: QueryLimits;
}

/**
 * Runs `work` in a transaction, and commits the transaction. In a call that only validates, a transaction that has
 * written or locked rows is rolled back instead, and an error is thrown.
 */
export async function runTransaction<Result>(
  options: TransactionOptions,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const client = await acquireConnection(options.pool);
  const tx = new PooledTransaction(client, options);
  let isLost = false;
  try {
    const result = await work(tx);
    await tx.flush();
    if (isValidateOnly()) await rejectWrites(tx);
    tx.close();
    // PostgreSQL responds to the commit of a failed transaction with a rollback.
    const { command } = await client.query(limited({ text: 'commit' }, options.limits));
    if (command !== 'COMMIT') throw new Error('the transaction had failed, so it was rolled back');
    return result;
  } catch (thrown) {
    tx.close();
    await client.query('rollback').catch(() => {
      isLost = true;
    });
    // The statements after one that failed only fail because of it.
    const error = tx.failure ?? thrown;
    isLost ||= isStandby(error);
    throw error;
  } finally {
    client.release(isLost);
  }
}

/**
 * Throws if the transaction has written or locked rows: PostgreSQL assigns a transaction id at the first write or row
 * lock. Returns if the transaction has only read, so that the call can continue with its next checks.
 */
async function rejectWrites(tx: Transaction): Promise<void> {
  const [row] = await tx.query<{ has_only_read: boolean }>(
    'select pg_current_xact_id_if_assigned() is null as has_only_read',
  );
  if (!row?.has_only_read) throw validError();
}

class PooledTransaction implements Transaction {
  readonly #client: PoolClient;
  readonly #options: TransactionOptions;
  #em: EntityManager | undefined;
  #isClosed = false;
  #failure: unknown;

  constructor(client: PoolClient, options: TransactionOptions) {
    this.#client = client;
    this.#options = options;
    // The call is not awaited, so that the first statement of the transaction is sent in the same round trip. If this
    // query fails, the statement also fails.
    client.query(`begin; ${setScopeSql(options.scope)}`).catch(() => undefined);
  }

  /** Error of the first statement of send() that failed; undefined if none has failed. */
  get failure(): unknown {
    return this.#failure;
  }

  get em(): EntityManager {
    this.#em ??= this.#createEntityManager();
    return this.#em;
  }

  async query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    this.#requireOpen();
    // Do not use em.execute(), because it inlines the parameters into the SQL text, which is slow for long arrays.
    const { statements, limits } = this.#options;
    const { rows } = await this.#client.query(limited(statements.prepared(sql, parameters), limits));
    return rows;
  }

  send(sql: string, parameters: readonly unknown[] = []): void {
    this.#requireOpen();
    this.query(sql, parameters).catch((error) => {
      if (!isAfterFailure(error)) this.#failure ??= error;
    });
  }

  /**
   * Makes every later statement of this transaction fail, because other transactions may use the connection from now
   * on.
   */
  close(): void {
    this.#isClosed = true;
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new Error('the transaction has ended');
  }

  /** Writes the changed entities to the database. */
  async flush(): Promise<void> {
    await this.#em?.flush();
  }

  #createEntityManager(): EntityManager {
    const em = this.#options.orm.em.fork({ useContext: false });
    const context: Pick<ControlledTransaction<unknown>, 'executeQuery'> = {
      executeQuery: (query) => this.#execute(query as CompiledQuery),
    };
    // The ORM runs the statements of a transaction with this function, and uses nothing else of the transaction
    // context.
    em.setTransactionContext(context);
    return em;
  }

  async #execute<Row>({ sql }: CompiledQuery): Promise<QueryResult<Row>> {
    this.#requireOpen();
    const { rows, rowCount } = await this.#client.query(limited({ text: sql }, this.#options.limits));
    return { rows, numAffectedRows: BigInt(rowCount ?? rows.length) };
  }
}
