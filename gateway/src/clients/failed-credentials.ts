const WINDOW_MS = 60_000;

/** Maximum number of addresses that are counted at once. Above it, all counts of the current minute are dropped. */
const MAX_ADDRESSES = 100_000;

/**
 * Counts unknown credentials by the address that sent them, per minute and gateway, so that guessing costs identity and
 * its database nothing.
 */
export class FailedCredentials {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();
  #startedAt = 0;

  /** @param limit Unknown credentials per minute and address; 0 disables the limit. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns the seconds until the address may try again; undefined when it may try now. */
  retryAfter(address: string, now: number): number | undefined {
    this.#startWindow(now);
    if (this.#limit === 0 || (this.#counts.get(address) ?? 0) < this.#limit) return undefined;
    return Math.max(1, Math.ceil((this.#startedAt + WINDOW_MS - now) / 1_000));
  }

  record(address: string, now: number): void {
    this.#startWindow(now);
    if (this.#counts.size >= MAX_ADDRESSES) this.#counts.clear();
    this.#counts.set(address, (this.#counts.get(address) ?? 0) + 1);
  }

  #startWindow(now: number): void {
    if (now >= this.#startedAt && now < this.#startedAt + WINDOW_MS) return;
    this.#startedAt = now;
    this.#counts.clear();
  }
}
