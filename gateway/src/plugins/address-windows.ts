import { networkOf } from '@tocsin/text';

const WINDOW_MS = 60_000;

/**
 * Maximum number of addresses that are counted at once. If there are more, all counts of the current minute are
 * dropped.
 */
const MAX_ADDRESSES = 100_000;

/**
 * Counts the actions of each address per minute. The counts are in the memory of this process, so that refusing an
 * address is cheap.
 */
export class AddressWindows {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();
  #startedAt = 0;

  /** @param limit Number of actions that an address may take per minute; 0 disables the limit. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns the seconds until the address may send requests again; undefined if it may send them now. */
  retryAfter(address: string, now: number): number | undefined {
    this.#startWindow(now);
    if (this.#limit === 0 || (this.#counts.get(networkOf(address)) ?? 0) < this.#limit) return undefined;
    return Math.max(1, Math.ceil((this.#startedAt + WINDOW_MS - now) / 1_000));
  }

  record(address: string, now: number): void {
    this.#startWindow(now);
    if (this.#counts.size >= MAX_ADDRESSES) this.#counts.clear();
    const network = networkOf(address);
    this.#counts.set(network, (this.#counts.get(network) ?? 0) + 1);
  }

  #startWindow(now: number): void {
    if (now >= this.#startedAt && now < this.#startedAt + WINDOW_MS) return;
    this.#startedAt = now;
    this.#counts.clear();
  }
}
