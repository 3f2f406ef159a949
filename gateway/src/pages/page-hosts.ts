import { isIP } from 'node:net';
import type { PageAddress } from './page-cache.ts';
import type { RecentAnswers } from './recent-answers.ts';

export interface PageHostsOptions {
  /** Host of the installation's public URL. */
  readonly installationHost: string;
  /** Answers of the statuspage service whether a host belongs to one page. */
  readonly answers: Pick<RecentAnswers, 'known' | 'find'>;
}

/**
 * Finds the addresses under which pages are stored. A path below `/s` shows the same page on each host, except on the
 * hosts of pages. Visitors can send any host, so such a path is stored once, under the host of the installation.
 */
export class PageHosts {
  readonly #options: PageHostsOptions;

  constructor(options: PageHostsOptions) {
    this.#options = options;
  }

  /** Returns the address under which a page is stored; undefined if the service must be asked for it. */
  known(address: PageAddress): PageAddress | undefined {
    const { host } = address;
    if (!isBelowSlugs(address.path) || host === this.#options.installationHost) return address;
    if (neverOfPage(host)) return this.#shared(address);
    return this.#addressFor(address, this.#options.answers.known(host));
  }

  /** Returns the address under which a page is stored; undefined if this can't be found out. */
  async find(address: PageAddress): Promise<PageAddress | undefined> {
    return this.known(address) ?? this.#addressFor(address, await this.#options.answers.find(address.host));
  }

  #addressFor(address: PageAddress, isOfPage: boolean | undefined): PageAddress | undefined {
    if (isOfPage === undefined) return undefined;
    return isOfPage ? address : this.#shared(address);
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
