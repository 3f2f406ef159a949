import type { Pool, PoolClient } from 'pg';

/**
 * Removes connections from the pool that are lost while in use. When a rollback fails, as it does on a lost connection,
 * Kysely never releases that connection: after some restarts of the server the pool would be exhausted.
 */
export function discardLostConnections(pool: Pool): void {
  const held = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => held.add(client));
  pool.on('release', (_error, client) => held.delete(client));
  pool.on('connect', (client) => {
    client.once('end', () => {
      if (!held.has(client)) return;
      client.release(true);
      // Outside of a transaction the connection is released a second time, for which the pool would throw.
      client.release = () => undefined;
    });
  });
}
