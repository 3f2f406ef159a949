import { connect as connectSocket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import type { SupervisedProcess } from './processes.ts';

export interface NatsWatchOptions {
  /** URL with the credentials of a user with all permissions. */
  readonly url: string;
  readonly server: Pick<SupervisedProcess, 'pid' | 'kill'>;
  readonly say: (line: string) => void;
  /** Milliseconds between two checks. Defaults to 10 s. */
  readonly checkEveryMs?: number;
  /** Maximum time for each step of a check, in milliseconds. Defaults to 5 s. */
  readonly timeoutMs?: number;
}

/** Number of failed checks in a row after which the server is killed. */
const MAX_FAILURES = 3;

/**
 * Kills a NATS server that accepts connections but does not respond to requests to JetStream, so that it is started
 * again. This is also so if the server has disabled JetStream, because its disk was full. nats-server 2.9, the version
 * of Debian, can block forever when its disk is full, and then remains blocked when there is space again. A server that
 * does not listen yet is not killed, because it may need long to load its streams.
 */
export function watchNats(options: NatsWatchOptions): AsyncDisposable {
  const { server, say, checkEveryMs = 10_000 } = options;
  const stop = new AbortController();
  const { signal } = stop;
  const watching = (async () => {
    for (let failures = 0; !signal.aborted; ) {
      await sleep(checkEveryMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const { pid } = server;
      failures = (await isStuck(options)) && server.pid === pid ? failures + 1 : 0;
      if (failures < MAX_FAILURES || signal.aborted) continue;
      say('JetStream does not respond: starting NATS again');
      server.kill();
      failures = 0;
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await watching;
    },
  };
}

async function isStuck({ url, timeoutMs = 5_000 }: NatsWatchOptions): Promise<boolean> {
  const { hostname, port, username, password } = new URL(url);
  if (!(await isListening(hostname, Number(port), timeoutMs))) return false;
  try {
    const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)];
    const servers = `${hostname}:${port}`;
    const connection = await connect({ servers, user, pass, reconnect: false, timeout: timeoutMs });
    // The response depends on every stream of the account.
    const response = connection.request('$JS.API.INFO', undefined, { timeout: timeoutMs });
    // close() would wait for a server that is stuck.
    return await response
      .then(
        () => false,
        () => true,
      )
      .finally(() => void connection.close().catch(() => undefined));
  } catch {
    return true;
  }
}

function isListening(host: string, port: number, timeout: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectSocket({ host, port, timeout });
    const end = (isConnected: boolean) => {
      socket.destroy();
      resolve(isConnected);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}
