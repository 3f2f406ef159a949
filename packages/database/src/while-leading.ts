import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const STANDBY_MS = 500;

export interface Leadership {
  readonly url: string;
  /** SQL expression for the lock's name, of type text. */
  readonly lockSql: string;
  readonly signal: AbortSignal;
}

/**
 * Runs `work` while this process holds an advisory lock, so that only one replica works at a time. Waits until the lock
 * is free. When the process dies, PostgreSQL releases the lock. `work` gets the connection that holds the lock, and a
 * signal that aborts when `signal` aborts or this connection is lost.
 */
export async function whileLeading(
  { url, lockSql, signal }: Leadership,
  work: (client: pg.Client, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString: url, keepAlive: true });
  const disconnected = new AbortController();
  client.on('error', () => disconnected.abort());
  await client.connect();
  const ended = AbortSignal.any([signal, disconnected.signal]);
  try {
    while (!(await tryToLead(client, lockSql))) {
      await delay(STANDBY_MS, undefined, { signal: ended }).catch(() => undefined);
      if (ended.aborted) return;
    }
    await work(client, ended);
  } finally {
    // End the session, which releases the lock.
    await client.end().catch(() => undefined);
  }
}

async function tryToLead(client: pg.Client, lockSql: string): Promise<boolean> {
  const { rows } = await client.query<{ leading: boolean }>(
    `select pg_try_advisory_lock(hashtext(${lockSql})) as leading`,
  );
  return rows[0]?.leading ?? false;
}
