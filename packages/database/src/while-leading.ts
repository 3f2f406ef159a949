import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { KEEP_ALIVE_DELAY_MS, QUERY_TIMEOUT_MS } from './database.ts';
import { timeQueries } from './timed-queries.ts';

const STANDBY_MS = 500;

/** Maximum time to connect, in milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Settings with which the server ends the session of a host that has vanished from the network within 20 seconds, so
 * that another replica can lead. With the usual settings of an operating system, the session would hold the lock for
 * 15 minutes to 2 hours. The settings have no effect on a Unix socket.
 */
const SESSION_SETTINGS = `
  set tcp_keepalives_idle = '5s';
  set tcp_keepalives_interval = '5s';
  set tcp_keepalives_count = 3;
  set tcp_user_timeout = '15s'`;

export interface Leadership {
  readonly url: string;
  /** SQL expression for the lock's name, of type text. */
  readonly lockSql: string;
  readonly signal: AbortSignal;
  /** Called when another process leads, at each attempt to lead. */
  readonly onStandby?: () => void;
  /** Maximum time to connect, in milliseconds. */
  readonly connectTimeoutMs?: number;
  /** Maximum time to wait for the result of a statement on the connection that holds the lock, in milliseconds. */
  readonly queryTimeoutMs?: number;
}

/**
 * Runs `work` while this process holds an advisory lock, so that only one replica works at a time. Waits until the lock
 * is free. When the process dies, or its host vanishes from the network, PostgreSQL releases the lock. `work` gets the
 * connection that holds the lock, and a signal that aborts when `signal` aborts or this connection is lost.
 * @throws Error if the server is unreachable or does not respond in time.
 */
export async function whileLeading(
  {
    url,
    lockSql,
    signal,
    onStandby,
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
    queryTimeoutMs = QUERY_TIMEOUT_MS,
  }: Leadership,
  work: (client: pg.Client, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
  });
  timeQueries(client, queryTimeoutMs);
  const disconnected = new AbortController();
  client.on('error', () => disconnected.abort());
  await client.connect();
  const ended = AbortSignal.any([signal, disconnected.signal]);
  try {
    await client.query(SESSION_SETTINGS);
    while (!(await tryToLead(client, lockSql))) {
      onStandby?.();
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
