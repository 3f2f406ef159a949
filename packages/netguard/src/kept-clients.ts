import type { Client } from 'undici';

/** A client with one connection, which no request uses. It is destroyed when its peer closes the connection. */
interface KeptClient {
  readonly client: Client;
  /** Time of `performance.now()` at which it was connected. */
  readonly connectedAt: number;
}

/**
 * Maximum milliseconds for which a connection is used, so a change of an address or of the allowed ones takes effect.
 */
const MAX_AGE_MS = 30_000;
/** Maximum number of kept connections, to one origin and to all. */
const MAX_PER_ORIGIN = 32;
const MAX_KEPT = 256;

/**
 * Keeps connections open between requests to the same origin. Every one was dialled and vetted as for a single request.
 */
export class KeptClients {
  readonly #kept = new Map<string, KeptClient[]>();
  readonly #now: () => number;
  #count = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns the client that was used last; undefined if none is kept. The caller owns it. */
  take(origin: string): KeptClient | undefined {
    for (;;) {
      const kept = this.#kept.get(origin)?.pop();
      if (!kept) return undefined;
      this.#count -= 1;
      if (this.#kept.get(origin)?.length === 0) this.#kept.delete(origin);
      if (this.#isUsable(kept)) return kept;
      destroy(kept);
    }
  }

  /** Keeps a client whose request has ended, or destroys it. */
  give(origin: string, kept: KeptClient): void {
    const ofOrigin = this.#kept.get(origin) ?? [];
    if (!this.#isUsable(kept) || ofOrigin.length >= MAX_PER_ORIGIN) {
      destroy(kept);
      return;
    }
    if (this.#count >= MAX_KEPT) this.#dropOldest();
    this.#kept.set(origin, [...ofOrigin, kept]);
    this.#count += 1;
  }

  #isUsable({ client, connectedAt }: KeptClient): boolean {
    return !client.destroyed && !client.closed && this.#now() - connectedAt < MAX_AGE_MS;
  }

  /** Drops the connection that has waited longest at the origin that was first kept. */
  #dropOldest(): void {
    const [first] = this.#kept;
    if (!first) return;
    const [origin, [oldest, ...rest]] = first;
    if (rest.length > 0) this.#kept.set(origin, rest);
    else this.#kept.delete(origin);
    this.#count -= 1;
    if (oldest) destroy(oldest);
  }
}

function destroy({ client }: KeptClient): void {
  client.destroy().catch(() => undefined);
}
