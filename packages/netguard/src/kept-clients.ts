import type { Client } from 'undici';

/** A client with one idle connection. The client is destroyed when the peer closes the connection. */
interface KeptClient {
  readonly client: Client;
  /** Time at which the client connected, from `performance.now()`. */
  readonly connectedAt: number;
}

/**
 * Maximum age of a reused connection, in milliseconds. The limit ensures that changed addresses and changed settings
 * for allowed targets take effect.
 */
const MAX_AGE_MS = 30_000;
/** Maximum number of kept connections, per origin and in total. */
const MAX_PER_ORIGIN = 32;
const MAX_KEPT = 256;

/** Keeps connections open between requests to the same origin. Each connection was vetted when it was opened. */
export class KeptClients {
  readonly #kept = new Map<string, KeptClient[]>();
  readonly #now: () => number;
  #count = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Removes and returns the most recently used client; undefined if there is none. The caller owns the client. */
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

  /** Keeps a client whose request has ended, or destroys it if it can't be kept. */
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

  /** Selects the origin that was added first, and destroys its oldest connection. */
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
