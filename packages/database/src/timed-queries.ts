import pg, { type ClientBase, type Connection, type QueryResult } from 'pg';
import type { LimitedQuery } from './query-timeout.ts';

/** The type of a client does not declare its connection. */
type ConnectedClient = ClientBase & { readonly connection?: Connection };

/**
 * Limits how long the statements of a client wait for their results, in milliseconds. A statement that exceeds the
 * limit fails, and its connection is destroyed, so that all statements in flight on it fail. A statement may have a
 * limit of its own.
 *
 * The driver has this limit, too, but then each statement remains in memory with its parameters and rows until a full
 * garbage collection: V8 allocates a function that is written as `query.callback = () => …` in the old generation, and
 * collections of the young generation don't free what it refers to. The driver does so for each promise and for each
 * limit, so this function uses neither.
 */
export function timeQueries(client: ConnectedClient, defaultTimeoutMs: number | undefined): void {
  const send = client.query.bind(client) as (...args: readonly unknown[]) => unknown;
  let isCorked = false;

  /** Sends the statements of this turn of the event loop in one packet. */
  function sendTogether(): void {
    const stream = client.connection?.stream;
    if (isCorked || !stream) return;
    isCorked = true;
    stream.cork();
    process.nextTick(() => {
      isCorked = false;
      stream.uncork();
    });
  }

  function sendInTime(statement: string | LimitedQuery, values?: unknown[]): Promise<QueryResult> {
    const { query_timeout: timeoutMs = defaultTimeoutMs, ...config } =
      typeof statement === 'string' ? { text: statement } : statement;
    return new Promise((resolve, reject) => {
      const exceeded = () => {
        reject(new Error('Query read timeout'));
        client.connection?.stream.destroy();
      };
      const timer = timeoutMs === undefined ? undefined : setTimeout(exceeded, timeoutMs);
      const done = (error: Error | undefined, result: QueryResult) => {
        clearTimeout(timer);
        if (error) reject(error);
        else resolve(result);
      };
      sendTogether();
      send(new pg.Query(config, values, done));
    });
  }

  async function query(...statement: Parameters<typeof sendInTime>): Promise<QueryResult> {
    try {
      return await sendInTime(...statement);
    } catch (error) {
      // The stack leads to the caller instead of to the socket.
      Error.captureStackTrace(error as Error);
      throw error;
    }
  }

  const isStatement = (args: readonly unknown[]) =>
    args.every((arg) => typeof arg !== 'function') && !(args[0] as { readonly submit?: unknown }).submit;
  // Cursors, and statements with a callback, are left to the driver.
  const replaced = (...args: readonly unknown[]) =>
    isStatement(args) ? query(...(args as Parameters<typeof query>)) : send(...args);
  client.query = replaced as ClientBase['query'];
}
