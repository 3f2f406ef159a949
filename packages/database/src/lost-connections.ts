import type { Connection, Pool, PoolClient } from 'pg';

/**
 * Removes from the pool each connection that is lost while in use. A rollback on a lost connection fails, and Kysely
 * then never releases the connection. After some restarts of the server, the pool would be exhausted.
 *
 * Also removes each connection that the driver destroyed because a statement took too long. The driver reports the
 * failed statement first and the end of the connection later. A connection that is released in between would be used
 * again.
 */
export function discardLostConnections(pool: Pool): void {
  const held = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => held.add(client));
  pool.on('release', (_error, client) => {
    held.delete(client);
    // The pool discards a client that has begun to end.
    if (isDestroyed(client)) client.end().catch(() => undefined);
  });
  pool.on('connect', (client) => {
    client.once('end', () => {
      if (!held.has(client)) return;
      client.release(true);
      // Outside of a transaction, Kysely also calls release(). The pool would throw an error for this second call.
      client.release = () => undefined;
    });
  });
}

/** Whether the socket of a client is destroyed. The type of a client does not declare its connection. */
function isDestroyed(client: PoolClient & { readonly connection?: Connection }): boolean {
  return client.connection?.stream.destroyed ?? false;
}
