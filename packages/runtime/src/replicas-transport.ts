import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { DescMethod } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel as Idempotency } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, type Transport } from '@connectrpc/connect';

/** Returns all addresses of a host. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

/** Addresses are resolved again after this many milliseconds, or when an address refuses a connection. */
const VALID_MS = 5_000;

/**
 * If the addresses were resolved longer ago than this, in milliseconds, a call waits for new addresses instead of using
 * the known ones.
 */
const STALE_MS = 15_000;

/**
 * Distributes calls among all replicas of a service. A host name may have several addresses, as the name of a headless
 * Service of Kubernetes does. With a single connection, all calls would go to one replica. This transport therefore
 * connects to each address, and sends each call to the next address in turn. A call that no server has accepted is
 * repeated at the other addresses, and then at addresses that are new since the last resolution. A call whose
 * connection broke before the response is also repeated if its method can be repeated safely.
 */
export class ReplicasTransport implements Transport {
  readonly #url: URL;
  readonly #connect: (url: string) => Transport;
  readonly #resolve: ResolveHost;
  #replicas = new Map<string, Transport>();
  #calls = 0;
  #resolvedAt = Number.NEGATIVE_INFINITY;
  #resolving: Promise<void> | undefined;

  constructor(url: string, connect: (url: string) => Transport, resolve: ResolveHost = resolveWithSystem) {
    this.#url = new URL(url);
    this.#connect = connect;
    this.#resolve = resolve;
  }

  unary: Transport['unary'] = (...call) => {
    const canRepeat = isIdempotent(call[0]) ? isDisconnected : isNotAccepted;
    return this.#try((transport) => transport.unary(...call), canRepeat);
  };

  // A stream is not repeated, because its messages can't be sent again.
  stream: Transport['stream'] = (...call) => this.#try((transport) => transport.stream(...call), isNotAccepted, 1);

  async #try<Result>(
    call: (transport: Transport) => Promise<Result>,
    canRepeat: (error: unknown) => boolean,
    limit = Number.POSITIVE_INFINITY,
  ): Promise<Result> {
    let refusal: unknown = new ConnectError(`${this.#url.hostname} has no address`, Code.Unavailable);
    let attempts = 0;
    for await (const transport of this.#candidates()) {
      try {
        return await call(transport);
      } catch (error) {
        if (!canRepeat(error)) throw error;
        this.#resolvedAt = Number.NEGATIVE_INFINITY;
        refusal = error;
        attempts += 1;
        if (attempts >= limit) break;
      }
    }
    throw refusal;
  }

  /**
   * Returns the known replicas, beginning with the next one in turn. If the caller asks for more replicas, resolves the
   * host again and returns replicas at new addresses, because all replicas may have been replaced since the last
   * resolution.
   */
  async *#candidates(): AsyncGenerator<Transport> {
    const age = performance.now() - this.#resolvedAt;
    if (age >= VALID_MS) {
      const resolved = this.#resolveAgain();
      // Recent addresses stay in use until the new ones are resolved.
      if (age >= STALE_MS) await resolved;
    }
    const known = this.#replicas;
    const transports = [...known.values()];
    const first = this.#calls % transports.length;
    this.#calls += 1;
    yield* transports.slice(first);
    yield* transports.slice(0, first);
    await this.#resolveAgain();
    for (const [address, transport] of this.#replicas) if (!known.has(address)) yield transport;
  }

  #resolveAgain(): Promise<void> {
    this.#resolving ??= this.#update().finally(() => {
      this.#resolving = undefined;
    });
    return this.#resolving;
  }

  async #update(): Promise<void> {
    // If the host can't be resolved, the known addresses are used for as long as they accept connections.
    const addresses = await this.#resolve(this.#url.hostname).catch(() => [...this.#replicas.keys()]);
    this.#resolvedAt = performance.now();
    this.#replicas = new Map(
      addresses.map((address) => [address, this.#replicas.get(address) ?? this.#connect(this.#urlOf(address))]),
    );
  }

  #urlOf(address: string): string {
    const url = new URL(this.#url);
    url.hostname = isIP(address) === 6 ? `[${address}]` : address;
    return url.href.replace(/\/$/, '');
  }
}

async function resolveWithSystem(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}

/** Whether the method has the same result if it is called twice, according to its proto file. */
function isIdempotent({ idempotency }: DescMethod): boolean {
  return idempotency === Idempotency.NO_SIDE_EFFECTS || idempotency === Idempotency.IDEMPOTENT;
}

/**
 * Whether a call failed before a server accepted it: no connection was established, or the server was about to close it
 * when the call arrived (RFC 9113 §8.7).
 */
function isNotAccepted(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('syscall' in error && error.syscall === 'connect') return true;
  if (/REFUSED_STREAM/.test(error.message)) return true;
  return isNotAccepted(error.cause);
}

const DISCONNECTED = ['ECONNRESET', 'EPIPE', 'ERR_HTTP2_STREAM_CANCEL', 'ERR_HTTP2_SESSION_ERROR'];

/** Whether a call failed because there is no connection, or because it broke. */
function isDisconnected(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && DISCONNECTED.includes(String(error.code))) return true;
  // A connection without a reply to its ping is closed with an error that has no code of the system.
  if (/PING timed out/.test(error.message)) return true;
  return isNotAccepted(error) || isDisconnected(error.cause);
}
