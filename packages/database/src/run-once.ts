import type { Pool } from 'pg';
import { type Scope, scopeVariables } from './row-security.ts';

const SCOPE = `select ${Object.keys(scopeVariables('every organization'))
  .map((name, index) => `set_config('${name}', $${index + 1}, true)`)
  .join(', ')}`;

/** How the transaction of a single statement begins. */
const BEGIN = {
  read: 'begin read only',
  // Such writes may be lost when PostgreSQL crashes, and don't wait for the disk.
  count: 'begin; set local synchronous_commit to off',
} as const;

/** Runs one statement in its own transaction. Everything is sent at once, in one round trip. */
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
