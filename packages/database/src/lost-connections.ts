import type { Pool, PoolClient } from 'pg';

/**
 * Discards connections that are lost while they are in use. Kysely keeps a transaction's connection for good when
 * the rollback fails, which it does on a lost one: the pool would run dry after some restarts of the server.
 */
export function discardLostConnections(pool: Pool): void {
  const held = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => held.add(client));
  pool.on('release', (_error, client) => held.delete(client));
  pool.on('connect', (client) => {
    client.once('end', () => {
      if (!held.has(client)) return;
      client.release(true);
      // Outside of a transaction the holder does give it back, and the pool throws at a second time.
      client.release = () => undefined;
    });
  });
}
