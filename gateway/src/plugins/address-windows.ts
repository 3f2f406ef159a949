import { isIPv6 } from 'node:net';

const WINDOW_MS = 60_000;

/** Maximum number of addresses that are counted at once. Above it, all counts of the current minute are dropped. */
const MAX_ADDRESSES = 100_000;

/** Counts what each address does per minute, in this process only, so that refusing it costs next to nothing. */
export class AddressWindows {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();
  #startedAt = 0;

  /** @param limit How often an address may act per minute; 0 disables the limit. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns the seconds until the address may act again; undefined when it may act now. */
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

/** Number of groups of an IPv6 address that name a network. The rest is up to its hosts (RFC 4291 §2.5.4). */
const NETWORK_GROUPS = 4;

/** Returns an IPv4 address itself, and the /64 network of an IPv6 address: one host may use any address in it. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  const [head = '', tail] = address.toLowerCase().split('::');
  const before = groupsOf(head);
  const after = tail === undefined ? [] : groupsOf(tail);
  const missing = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(missing).fill('0'), ...after].slice(0, NETWORK_GROUPS);
  return groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':');
}

function groupsOf(text: string): string[] {
  if (text === '') return [];
  // A last group in the form of an IPv4 address stands for two.
  return text.split(':').flatMap((group) => (group.includes('.') ? ['', ''] : [group]));
}
