import type { Pool } from 'pg';
import { type Scope, scopeVariables } from './row-security.ts';

const SCOPE = `select ${Object.keys(scopeVariables('every organization'))
  .map((name, index) => `set_config('${name}', $${index + 1}, true)`)
  .join(', ')}`;

/** Statements that begin the transaction of a single statement. */
const BEGIN = {
  read: 'begin read only',
  // The commit does not wait for the disk, so writes may be lost if PostgreSQL crashes.
  count: 'begin; set local synchronous_commit to off',
} as const;

/** Runs one statement in its own transaction, in one round trip. */
export async function runOnce<Row extends object>(
  pool: Pool,
  kind: keyof typeof BEGIN,
  { scope, sql, parameters }: { scope: Scope; sql: string; parameters: readonly unknown[] },
): Promise<Row[]> {
  const client = await pool.connect();
  try {
    const sent = [
      client.query(BEGIN[kind]),
      client.query(SCOPE, Object.values(scopeVariables(scope))),
      client.query<Row>(sql, [...parameters]),
      // After an error, PostgreSQL treats this commit as a rollback.
      client.query('commit'),
    ] as const;
    // Wait for all results, because the connection must not be reused before.
    await Promise.allSettled(sent);
    const [, , response] = await Promise.all(sent);
    return response.rows;
  } finally {
    client.release();
  }
}
