import type { ClientHttp2Stream, Http2Session, SessionOptions } from 'node:http2';
import { Http2SessionManager } from '@connectrpc/connect-node';

const MIB = 1024 * 1024;

/** Bytes that may be on their way in all calls of a connection in one direction. */
const CONNECTION_WINDOW_BYTES = 8 * MIB;

/**
 * Options for the connections between services. Calls of all organizations share a connection, so large messages of one
 * must not delay or refuse the calls of others. Node.js by default refuses new calls while a connection has 10 MB of
 * unsent data, and waits for an acknowledgement after each 64 KB.
 */
export const HTTP2_OPTIONS = {
  /** In megabytes. */
  maxSessionMemory: 256,
  settings: { initialWindowSize: MIB },
} satisfies SessionOptions;

/** Lets more data of a connection be on its way to this process. */
export function widen(session: Http2Session): void {
  session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
}

/** Manages connections whose windows fit the large messages between services. */
export class WideSessionManager extends Http2SessionManager {
  readonly #widened = new WeakSet<Http2Session>();

  override async request(...call: Parameters<Http2SessionManager['request']>): Promise<ClientHttp2Stream> {
    const stream = await super.request(...call);
    const { session } = stream;
    if (session && !this.#widened.has(session)) {
      this.#widened.add(session);
      widen(session);
    }
    return stream;
  }
}
