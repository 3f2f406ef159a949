import { once } from 'node:events';
import { type Runtime, startLoop } from '@tocsin/runtime';
import pg from 'pg';
import { WAKE_CHANNEL_SQL } from './insert-deliveries.ts';

const RECONNECT_MS = 1_000;

/**
 * Calls `wake` whenever any replica commits deliveries. Uses a separate connection, which is reopened after a failure.
 */
export function listenForWakes(databaseUrl: string, runtime: Runtime, wake: () => void): AsyncDisposable {
  return startLoop('listening for alerts', RECONNECT_MS, runtime, async (signal) => {
    const client = new pg.Client({ connectionString: databaseUrl, keepAlive: true });
    const ended = once(client, 'end', { signal }).catch(() => undefined);
    // Prevents an uncaught error. After an error the connection ends, and the loop below handles that.
    client.on('error', () => undefined);
    client.on('notification', wake);
    try {
      await client.connect();
      const { rows } = await client.query<{ channel: string }>(`select ${WAKE_CHANNEL_SQL} as channel`);
      await client.query(`listen ${pg.escapeIdentifier(rows[0]?.channel ?? '')}`);
      // Deliveries may have been committed before the connection listened.
      wake();
      await ended;
    } finally {
      await client.end().catch(() => undefined);
    }
    return 'done';
  });
}
