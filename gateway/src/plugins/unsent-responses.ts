import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Gauge, type Registry } from 'prom-client';

export interface UnsentLimits {
  /** Maximum total size in bytes of the responses that clients have not received yet. */
  readonly bytes: number;
  /** Time in milliseconds after which a connection is closed if its client receives nothing. */
  readonly stalledMs: number;
}

const LIMITS: UnsentLimits = { bytes: 96 * 1024 * 1024, stalledMs: 30_000 };

/** Responses up to this size are not counted. The operating system usually takes them over at once. */
const SMALL_BYTES = 16 * 1024;

/**
 * Bounds the memory that is used by clients that request responses and do not read them. If too many bytes are unsent,
 * closes the oldest connection of the address that causes most of them.
 */
export class UnsentResponses {
  readonly #limits: UnsentLimits;
  readonly #byAddress = new Map<string, Map<ServerResponse, number>>();
  #bytes = 0;

  constructor(metrics: Registry, limits: UnsentLimits = LIMITS) {
    this.#limits = limits;
    const unsent = () => this.#bytes;
    new Gauge({
      name: 'tocsin_http_unsent_bytes',
      help: 'Bytes of responses that clients have not received yet',
      registers: [metrics],
      collect() {
        this.set(unsent());
      },
    });
  }

  /** Counts a response that is being sent, until the client has received it or the connection is closed. */
  add(response: ServerResponse, address: string, bytes: number): void {
    const { socket } = response;
    if (bytes <= SMALL_BYTES || response.writableFinished || response.destroyed) return;
    const own = this.#byAddress.get(address) ?? new Map<ServerResponse, number>();
    this.#byAddress.set(address, own.set(response, bytes));
    this.#bytes += bytes;
    response.once('close', () => {
      own.delete(response);
      if (own.size === 0) this.#byAddress.delete(address);
      this.#bytes -= bytes;
    });
    // Node.js closes the connection if no byte was sent for this time. The listener must run before Node's own, which
    // sets the timeout of an idle connection.
    socket?.setTimeout(this.#limits.stalledMs);
    response.prependOnceListener('finish', () => socket?.setTimeout(0));
    if (this.#bytes > this.#limits.bytes) this.#closeOldestOfHeaviest();
  }

  #closeOldestOfHeaviest(): void {
    let heaviest: { readonly responses: Map<ServerResponse, number>; readonly bytes: number } | undefined;
    for (const responses of this.#byAddress.values()) {
      const bytes = responses.values().reduce((sum, one) => sum + one, 0);
      if (bytes > (heaviest?.bytes ?? 0)) heaviest = { responses, bytes };
    }
    const [oldest] = heaviest?.responses.keys() ?? [];
    oldest?.destroy();
  }
}

/** Counts the responses of routes that are added later. Must be called before compression is added. */
export function countUnsentResponses(app: FastifyInstance, unsent: UnsentResponses): void {
  app.addHook('onRoute', (route) => {
    // Hooks of compression come before this one, because compression is added later, so compressed bytes are counted.
    route.onSend = [
      async (request, reply, payload) => {
        if (typeof payload === 'string' || Buffer.isBuffer(payload)) {
          unsent.add(reply.raw, request.ip, Buffer.byteLength(payload));
        }
        return payload;
      },
      ...[route.onSend ?? []].flat(),
    ];
  });
}
