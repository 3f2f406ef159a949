import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node';
import { untilItWorks } from './backoff.ts';
import type { Runtime } from './runtime.ts';

export interface NatsHandle extends AsyncDisposable {
  readonly connection: NatsConnection;
}

/**
 * Parses one or more comma-separated URLs of the form `nats://user:password@host:port` into connection options. The
 * credentials of the first URL are used for all servers. With `tls://`, the client refuses a server without TLS.
 * @throws Error if only some of the URLs begin with `tls://`, because the client has one such setting for all servers.
 */
export function natsOptions(url: string): Pick<ConnectionOptions, 'servers' | 'user' | 'pass' | 'tls'> {
  const urls = url.split(',').map((text) => new URL(text.trim()));
  const [{ username, password } = { username: '', password: '' }] = urls;
  const servers = urls.map(({ protocol, host }) => `${protocol}//${host}`);
  const encrypted = urls.filter(({ protocol }) => protocol === 'tls:');
  if (encrypted.length > 0 && encrypted.length < urls.length) {
    throw new Error('the URLs of NATS must either all begin with tls:// or all begin with nats://');
  }
  return {
    servers,
    ...(username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(encrypted.length > 0 && { tls: {} }),
  };
}

/**
 * Waits 250 to 500 ms before each attempt to reconnect. The client's other options compare times of the wall clock: if
 * the clock of the machine is set back by an hour, the client does not reconnect for up to an hour.
 */
const reconnectPacing: Pick<ConnectionOptions, 'reconnectDelayHandler' | 'reconnectToServer'> = {
  // Added to the time of the last attempt, so every server is due at once. `delay` below is the only wait.
  reconnectDelayHandler: () => Number.NEGATIVE_INFINITY,
  reconnectToServer([server]) {
    if (!server) return null;
    return { server, delay: server.lastConnect === 0 ? 0 : 250 + Math.random() * 250 };
  },
};

/**
 * Connects to NATS, waiting as long as necessary, and reconnects without limit. While the connection is lost, the
 * service is not ready. Disposing flushes published messages and closes the connection.
 */
export async function connectNats(url: string, runtime: Runtime): Promise<NatsHandle> {
  const { logger, readiness } = runtime;
  const options = natsOptions(url);
  const connection = await untilItWorks('NATS', runtime, () =>
    connect({
      ...options,
      // Each service has a separate prefix, so that other services have no permission to read the responses.
      inboxPrefix: `_INBOX_${runtime.service}`,
      name: `tocsin-${runtime.service}`,
      maxReconnectAttempts: -1,
      // Without this option, the client would close the connection for good at the second failed authentication. The
      // server also reports a handshake that takes too long as a failed authentication.
      ignoreAuthErrorAbort: true,
      ...reconnectPacing,
      // Without this option, the client would record a stack trace for every request, which is needed only for requests
      // that fail.
      noAsyncTraces: true,
      pingInterval: 10_000,
      maxPingOut: 2,
    }),
  );
  let away = '';
  readiness.add('nats', async () => {
    if (away) throw new Error(away);
  });
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') {
        away = 'NATS is unavailable';
        logger.warn('NATS is unavailable; reconnecting until it is back');
      }
      if (status.type === 'reconnect') {
        away = '';
        logger.info('NATS is back');
      }
    }
  })();
  return {
    connection,
    async [Symbol.asyncDispose]() {
      // While disconnected, drain() would wait for the server.
      if (away) await connection.close();
      else await connection.drain().catch(() => connection.close());
    },
  };
}
