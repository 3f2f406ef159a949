import type { Pool } from 'pg';

/**
 * Maximum number of statements that a connection prepares. Each takes memory of its backend. Statements beyond it run
 * without being prepared.
 */
const MAX_STATEMENTS = 500;

/**
 * Names for the statements of a pool. PostgreSQL parses and plans a statement with a name once per connection instead
 * of at each execution.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  #generation = 0;

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

/** Prepares each statement with parameters that the pool's connections run with promises. */
export function prepareStatements(pool: Pool, names: StatementNames): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const prepared = (...args: unknown[]) => {
      const [text, values] = args;
      const isPlain = args.length === 2 && typeof text === 'string' && Array.isArray(values) && values.length > 0;
      const name = isPlain ? names.nameOf(text) : undefined;
      return name === undefined ? query(...args) : query({ name, text, values });
    };
    client.query = prepared as typeof client.query;
  });
}
