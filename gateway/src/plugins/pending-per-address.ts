import { networkOf, siteOf } from '@tocsin/text';

/** Limits how many requests of each IPv4 address or IPv6 /48 network are pending at the same time. */
export class PendingPerAddress {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts a request until the result is disposed of. Returns undefined if the address is at its limit. */
  begin(address: string): Disposable | undefined {
    const counted = siteOf(address) ?? networkOf(address);
    const count = this.#counts.get(counted) ?? 0;
    if (count >= this.#limit) return undefined;
    this.#counts.set(counted, count + 1);
    return { [Symbol.dispose]: () => this.#end(counted) };
  }

  #end(counted: string): void {
    const count = this.#counts.get(counted) ?? 0;
    if (count > 1) this.#counts.set(counted, count - 1);
    else this.#counts.delete(counted);
  }
}
