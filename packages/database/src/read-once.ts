import type { Pool } from 'pg';
import { type Scope, scopeVariables } from './row-security.ts';

const SCOPE = `select ${Object.keys(scopeVariables('every organization'))
  .map((name, index) => `set_config('${name}', $${index + 1}, true)`)
  .join(', ')}`;

/** Runs a query in its own read-only transaction. All statements are sent at once, in one round trip. */
export async function readOnce<Row extends object>(
  pool: Pool,
  scope: Scope,
  sql: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  const client = await pool.connect();
  try {
    const sent = [
      client.query('begin read only'),
      client.query(SCOPE, Object.values(scopeVariables(scope))),
      client.query<Row>(sql, [...parameters]),
      // After an error PostgreSQL treats it as a rollback.
      client.query('commit'),
    ] as const;
    // The connection must not be reused before it has returned everything.
    await Promise.allSettled(sent);
    const [, , response] = await Promise.all(sent);
    return response.rows;
  } finally {
    client.release();
  }
}
