import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { PageAddress } from './page-cache.ts';

export interface PageHostsOptions {
  /** Host of the installation's public URL. */
  readonly installationHost: string;
  /**
   * Asks the statuspage service whether a host belongs to one page; undefined if the service does not respond. Never
   * rejects.
   */
  readonly ask: (host: string) => Promise<boolean | undefined>;
  readonly now: () => number;
}

/** Time in milliseconds for which an answer is used, and the maximum number of stored answers. */
const STORED = { ms: 5_000, max: 10_000 };

interface Role {
  readonly isOfPage: boolean;
  readonly until: number;
  /** Number of the latest change before the service was asked. */
  readonly change: number;
}

/**
 * Finds the addresses under which pages are stored. A path below `/s` shows the same page on each host, except on the
 * hosts of pages. Visitors can send any host, so such a path is stored once, under the host of the installation.
 */
export class PageHosts {
  readonly #options: PageHostsOptions;
  readonly #roles = new LRUCache<string, Role>({ max: STORED.max });
  #change = 0;

  constructor(options: PageHostsOptions) {
    this.#options = options;
  }

  /** Returns the address under which a page is stored; undefined if the service must be asked for it. */
  known(address: PageAddress): PageAddress | undefined {
    const { host } = address;
    if (!isBelowSlugs(address.path) || host === this.#options.installationHost) return address;
    if (neverOfPage(host)) return this.#shared(address);
    const role = this.#roles.get(host);
    if (!role || role.change !== this.#change || role.until <= this.#options.now()) return undefined;
    return role.isOfPage ? address : this.#shared(address);
  }

  /**
   * Returns the address under which a page is stored. If the service does not respond, the last answer is used.
   * Undefined if there is none.
   */
  async find(address: PageAddress): Promise<PageAddress | undefined> {
    const known = this.known(address);
    if (known) return known;
    const { host } = address;
    const change = this.#change;
    const until = this.#options.now() + STORED.ms;
    const answer = await this.#options.ask(host);
    const isOfPage = answer ?? this.#roles.peek(host)?.isOfPage;
    if (isOfPage === undefined) return undefined;
    if (answer !== undefined) this.#roles.set(host, { isOfPage, until, change });
    return isOfPage ? address : this.#shared(address);
  }

  /** Asks again for all hosts, because a page may have got a host or lost it. */
  markChanged(): void {
    this.#change += 1;
  }

  #shared({ path }: PageAddress): PageAddress {
    return { host: this.#options.installationHost, path };
  }
}

function isBelowSlugs(path: string): boolean {
  return path === '/s' || path.startsWith('/s/');
}

/** Whether a host can not belong to a page. Load balancers and people on the machine use these hosts. */
function neverOfPage(host: string): boolean {
  return host === 'localhost' || isIP(host.replace(/^\[(.*)\]$/, '$1')) > 0;
}
