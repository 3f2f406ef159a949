import { networkOf, siteOf } from '@tocsin/text';

const WINDOW_MS = 60_000;

/**
 * Maximum number of addresses that are counted at once. If there are more, all counts of the current minute are
 * dropped.
 */
const MAX_ADDRESSES = 100_000;

/** Ratio of the limit of an IPv6 /48 network to the limit of a /64 network. */
const SITE_FACTOR = 10;

/**
 * Counts the actions of each address per minute. The counts are in the memory of this process, so that refusing an
 * address is cheap.
 */
export class AddressWindows {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();
  #startedAt = 0;

  /**
   * @param limit Number of actions that an IPv4 address or an IPv6 /64 network may take per minute; 0 disables the
   * limit. A /48 network may take SITE_FACTOR times as many.
   */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns the seconds until the address may send requests again; undefined if it may send them now. */
  retryAfter(address: string, now: number): number | undefined {
    this.#startWindow(now);
    if (this.#limit === 0) return undefined;
    const site = siteOf(address);
    const isOver = this.#countOf(networkOf(address)) >= this.#limit;
    const isSiteOver = site !== undefined && this.#countOf(site) >= this.#limit * SITE_FACTOR;
    if (!isOver && !isSiteOver) return undefined;
    return Math.max(1, Math.ceil((this.#startedAt + WINDOW_MS - now) / 1_000));
  }

  record(address: string, now: number): void {
    this.#startWindow(now);
    if (this.#counts.size >= MAX_ADDRESSES) this.#counts.clear();
    const network = networkOf(address);
    const site = siteOf(address);
    // Actions over the limit of a /64 network do not count towards the limit of its /48 network, which other /64
    // networks share.
    if (site !== undefined && this.#countOf(network) < this.#limit) this.#counts.set(site, this.#countOf(site) + 1);
    this.#counts.set(network, this.#countOf(network) + 1);
  }

  #countOf(counted: string): number {
    return this.#counts.get(counted) ?? 0;
  }

  #startWindow(now: number): void {
    if (now >= this.#startedAt && now < this.#startedAt + WINDOW_MS) return;
    this.#startedAt = now;
    this.#counts.clear();
  }
}
