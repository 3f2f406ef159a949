import { setTimeout as sleep } from 'node:timers/promises';
import { backoff } from '@tocsin/runtime';
import type { Pool, PoolClient } from 'pg';
import { sqlState } from './failures.ts';

/** How long to wait while the server accepts no more connections, in milliseconds. */
const LIMIT_MS = 5_000;

/** SQLSTATE of a server, database or role that has as many connections as it may have. */
const TOO_MANY_CONNECTIONS = '53300';

/**
 * Takes a connection from a pool. If the server accepts no more connections, waits until it does or until another
 * connection of the pool is free. During a rolling update, the stopped replicas and their successors may have more
 * connections together than the server allows.
 * @throws the error of the server if it accepts no connection for LIMIT_MS, or the error of the pool if all its
 * connections remain in use.
 */
export async function acquireConnection(pool: Pool): Promise<PoolClient> {
  const endsAt = performance.now() + LIMIT_MS;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await pool.connect();
    } catch (error) {
      if (sqlState(error) !== TOO_MANY_CONNECTIONS || performance.now() >= endsAt) throw error;
      await sleep(backoff(attempt, 20, 250));
    }
  }
}
