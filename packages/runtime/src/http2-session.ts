import type { ClientHttp2Stream, Http2Session, SessionOptions } from 'node:http2';
import { Http2SessionManager } from '@connectrpc/connect-node';

const MIB = 1024 * 1024;

/**
 * Flow-control window of a connection, in bytes: the maximum amount of unacknowledged data of all its calls in one
 * direction.
 */
const CONNECTION_WINDOW_BYTES = 8 * MIB;

/**
 * Options for the connections between services. Calls of all organizations share a connection, so large messages of one
 * organization must not delay the calls of others or cause their refusal. By default, Node.js refuses new calls while a
 * connection has 10 MB of unsent data, and waits for an acknowledgment after each 64 KB.
 */
export const HTTP2_OPTIONS = {
  /** In megabytes. */
  maxSessionMemory: 256,
  settings: { initialWindowSize: MIB },
} satisfies SessionOptions;

/** Enlarges the flow-control window for the data that this process receives on a connection. */
export function widen(session: Http2Session): void {
  session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
}

/** Manages the connections of a client, and enlarges the flow-control window of each new connection. */
export class WideSessionManager extends Http2SessionManager {
  readonly #widened = new WeakSet<Http2Session>();

  override async request(...call: Parameters<Http2SessionManager['request']>): Promise<ClientHttp2Stream> {
    const stream = await super.request(...call);
    const { session } = stream;
    if (session && !this.#widened.has(session)) {
      this.#widened.add(session);
      widen(session);
      // A lost session emits its error when its socket has closed. If a call comes before that, Connect has already
      // replaced the session and removed its own listener. Without another listener, the error would end the process.
      session.on('error', () => undefined);
    }
    return stream;
  }
}
