import type { QueryConfig } from 'pg';

/**
 * Maximum number of statements that a connection prepares. Each prepared statement uses memory in the connection's
 * backend. Statements beyond this limit run without being prepared.
 */
const MAX_STATEMENTS = 500;

/**
 * Names for the statements of a pool. PostgreSQL parses a named statement only once per connection, and can reuse its
 * plan.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  #generation = 0;

  /** Returns a query that is prepared if it has parameters. */
  prepared(sql: string, parameters: readonly unknown[]): QueryConfig {
    const name = parameters.length > 0 ? this.nameOf(sql) : undefined;
    return { ...(name !== undefined && { name }), text: sql, values: [...parameters] };
  }

  /** Returns the name of a statement; undefined if it should not be prepared. */
  nameOf(sql: string): string | undefined {
    const known = this.#names.get(sql);
    if (known !== undefined || this.#names.size >= MAX_STATEMENTS) return known;
    const name = `tocsin_${this.#generation}_${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }

  /** Gives every statement a new name, so that all connections prepare it again. */
  renew(): void {
    this.#names.clear();
    this.#generation += 1;
  }
}
