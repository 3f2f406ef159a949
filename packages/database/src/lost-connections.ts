import type { Pool, PoolClient } from 'pg';

/**
 * Removes from the pool each connection that is lost while in use. A rollback on a lost connection fails, and Kysely
 * then never releases the connection. After some restarts of the server, the pool would be exhausted.
 */
export function discardLostConnections(pool: Pool): void {
  const held = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => held.add(client));
  pool.on('release', (_error, client) => held.delete(client));
  pool.on('connect', (client) => {
    client.once('end', () => {
      if (!held.has(client)) return;
      client.release(true);
      // Outside of a transaction, Kysely also calls release(). The pool would throw an error for this second call.
      client.release = () => undefined;
    });
  });
}
