import type { Pool, QueryConfig } from 'pg';
import { acquireConnection } from './acquire-connection.ts';
import { isStandby } from './failures.ts';
import { type Scope, setScopeSql } from './row-security.ts';

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
  { scope, statement }: { scope: Scope; statement: QueryConfig },
): Promise<Row[]> {
  const client = await acquireConnection(pool);
  let isLost = false;
  try {
    const sent = [
      client.query(`${BEGIN[kind]}; ${setScopeSql(scope)}`),
      client.query<Row>(statement),
      // After an error, PostgreSQL treats this commit as a rollback.
      client.query('commit'),
    ] as const;
    // Wait for all results, because the connection must not be reused before they arrive.
    await Promise.allSettled(sent);
    const [, response] = await Promise.all(sent);
    return response.rows;
  } catch (error) {
    // In a read-only transaction, this error of a write does not mean that the server is a standby.
    if (kind === 'read' && isStandby(error)) throw new Error('a write is not possible in a read-only transaction');
    isLost = isStandby(error);
    throw error;
  } finally {
    client.release(isLost);
  }
}
