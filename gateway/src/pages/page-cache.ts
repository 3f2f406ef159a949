import { contentVersion } from '@tocsin/html';
import { FairSlots, SlotsFullError } from '@tocsin/runtime';
import { LRUCache } from 'lru-cache';
import { nextStep } from './freshness.ts';
import { PageShelf } from './page-shelf.ts';
import { type RenderedPage, type Rendering, render, renderAsOf } from './rendering.ts';

/** Address of a page: its host without a port, and its path without a query. */
export interface PageAddress {
  readonly host: string;
  readonly path: string;
}

/** A response that is not a status page, such as a 404 page or a redirect. */
export interface OtherResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Response from the statuspage service. `unchanged` means that the version in the request is still the version of the
 * page.
 */
export type Fetched =
  | { readonly kind: 'page'; readonly page: RenderedPage; readonly validMs: number }
  | { readonly kind: 'unchanged'; readonly validMs: number }
  | { readonly kind: 'other'; readonly response: OtherResponse }
  | { readonly kind: 'failed'; readonly response?: OtherResponse };

/** Response to a visitor. */
export type Answer =
  | { readonly kind: 'page'; readonly rendering: Rendering }
  | Extract<Fetched, { kind: 'other' | 'failed' }>;

export interface PageCacheOptions {
  /** Requests a page from the statuspage service. `version` is the stored version. Never rejects. */
  readonly fetch: (address: PageAddress, version: string | undefined) => Promise<Fetched>;
  readonly now: () => number;
  /** Returns the delay in milliseconds before the next attempt, after a number of failures in a row. */
  readonly retryDelay: (failures: number) => number;
  readonly maxBytes: number;
  /** Maximum age, in milliseconds, of a page that is sent without a request to the statuspage service. */
  readonly maxAgeMs: number;
  /** Called when the content of a watched page has changed. `etag` is the new version. */
  readonly onChange?: (key: string, etag: string) => void;
}

/** Maximum time for which a visitor waits for a refresh before the stored version is sent. */
const PATIENCE_MS = 1_000;

/** A changed page is refreshed at once if somebody viewed it within this time. */
const RECENTLY_MS = 60_000;

/** A page is marked as used at most once in this time. */
const TOUCH_EVERY_MS = 1_000;

/** Maximum age of pages while no change events can be received. */
const UNINFORMED_MAX_AGE_MS = 5_000;

/** Time for which responses other than status pages are stored, and their maximum number and size. */
const OTHERS = { ms: 5_000, max: 1_000, bytes: 64 * 1024 };

/** Fraction of the cache that one organization may use. */
const SHARE = 1 / 8;

/**
 * Maximum numbers of requests to the statuspage service that run or wait, in total and for one organization. The
 * organizations take turns, so that the many pages of one do not delay the page of another.
 */
const REQUESTS = { slots: 64, perTenant: 16, waiting: 436, waitingPerTenant: 100 };

/** Maximum number of pages whose organization is remembered. */
const MAX_OWNERS = 10_000;

interface Entry {
  readonly key: string;
  readonly organizationId: string;
  /** Total size of two variants of the page: without and with the notice that it may be outdated. */
  readonly bytes: number;
  readonly page: RenderedPage;
  readonly rendering: Rendering;
  asOf: Promise<Rendering> | undefined;
  verifiedAt: number;
  freshUntil: number;
  isOutdated: boolean;
  failures: number;
  retryAt: number;
  viewedAt: number;
}

interface Flight {
  /** Time at which the first visitor began to wait for the result. */
  readonly startedAt: number;
  readonly result: Promise<Answer>;
  /**
   * Ids of pages that changed after the request was sent, or `all` if these ids are unknown. The response may not show
   * the changes.
   */
  changed: Set<string> | 'all';
  /** Whether a page was updated after the request was sent, so that another page may be at the address now. */
  mayHaveMoved: boolean;
}

/** A page that visitors watch. The watch remains even if the page is removed from memory. */
interface Watch {
  watchers: number;
  pageId: string | undefined;
  etag: string;
}

/**
 * Stores ready responses for public pages, so that a page is rendered and compressed once per change instead of once
 * per view. A page that can't be refreshed is sent with the notice that it may be outdated.
 */
export class PageCache {
  readonly #options: PageCacheOptions;
  readonly #entries: PageShelf<Entry>;
  readonly #others = new LRUCache<string, { until: number; response: OtherResponse }>({ max: OTHERS.max });
  readonly #flights = new Map<string, Flight>();
  readonly #requests = new FairSlots(REQUESTS);
  /** The organizations of pages, by `pageNameOf`. They stay known when a page is removed from memory. */
  readonly #owners = new LRUCache<string, string>({ max: MAX_OWNERS });
  readonly #watched = new Map<string, Watch>();
  #isInformed = true;

  constructor(options: PageCacheOptions) {
    this.#options = options;
    this.#entries = new PageShelf(options.maxBytes, options.maxBytes * SHARE);
  }

  /** Size of all stored pages in bytes, and their number. */
  get size(): { readonly bytes: number; readonly pages: number } {
    return { bytes: this.#entries.bytes, pages: this.#entries.size };
  }

  /** Returns the stored page if it is current. */
  current(key: string): Rendering | undefined {
    const now = this.#options.now();
    const entry = this.#entries.peek(key);
    if (!entry || nextStep(entry, now) !== 'send') return undefined;
    if (now - entry.viewedAt > TOUCH_EVERY_MS) {
      this.#entries.get(key);
      entry.viewedAt = now;
    }
    return entry.rendering;
  }

  /** Returns whether `get` can send a response without waiting for the statuspage service. */
  has(key: string): boolean {
    return this.#entries.peek(key) !== undefined || (this.#others.peek(key)?.until ?? 0) > this.#options.now();
  }

  /** Returns the time of the last check, as shown on a stored page. */
  checkedAt(key: string): string | undefined {
    return this.#entries.peek(key)?.page.checkedAt;
  }

  /** Returns the response to a visitor. */
  async get(address: PageAddress): Promise<Answer> {
    const key = keyOf(address);
    const now = this.#options.now();
    const entry = this.#entries.get(key);
    if (!entry) {
      const other = this.#others.get(key);
      if (other && now < other.until) return { kind: 'other', response: other.response };
      return this.#refresh(address);
    }
    entry.viewedAt = now;
    switch (nextStep(entry, now)) {
      case 'send':
        return { kind: 'page', rendering: entry.rendering };
      case 'send as of and refresh':
        void this.#refresh(address);
        return this.#asOf(entry);
      case 'send as of':
        return this.#asOf(entry);
      case 'wait': {
        const refreshed = this.#refresh(address);
        const late = (this.#flights.get(key)?.startedAt ?? now) + PATIENCE_MS - now;
        const answer = await withinMs(refreshed, late);
        return answer === undefined || answer.kind === 'failed' ? this.#asOf(entry) : answer;
      }
    }
  }

  /**
   * Marks a changed page as outdated. Refreshes the page at once if it is watched or was viewed recently.
   *
   * @param mayMove Whether the change may have moved the page to another address, or made it public.
   */
  markChanged(pageId: string, mayMove: boolean): void {
    for (const flight of this.#flights.values()) {
      if (flight.changed !== 'all') flight.changed.add(pageId);
      if (mayMove) flight.mayHaveMoved = true;
    }
    if (mayMove) this.#others.clear();
    for (const entry of this.#entries.values()) if (entry.page.pageId === pageId) this.#outdate(entry);
    for (const [key, watch] of this.#watched) {
      if (watch.pageId === pageId && !this.#entries.peek(key)) void this.#refresh(addressOf(key));
    }
  }

  /**
   * Sets whether change events can be received. While they can't, pages are verified every few seconds. After an
   * interruption, all pages are verified, because changes may have been missed.
   */
  setInformed(isInformed: boolean): void {
    this.#isInformed = isInformed;
    this.#others.clear();
    for (const flight of this.#flights.values()) {
      flight.changed = 'all';
      flight.mayHaveMoved = true;
    }
    for (const entry of this.#entries.values()) this.#outdate(entry);
  }

  /**
   * Refreshes the watched pages that are no longer current and whose next attempt is due. Must be called every second.
   */
  refreshWatched(): void {
    const now = this.#options.now();
    for (const key of this.#watched.keys()) {
      const entry = this.#entries.peek(key);
      const step = entry ? nextStep(entry, now) : 'send';
      if (step === 'wait' || step === 'send as of and refresh') void this.#refresh(addressOf(key));
    }
  }

  /**
   * Watches a page until the result is disposed. The cache calls `onChange` when the content of the page differs from
   * the version `etag`.
   */
  watch(key: string, etag: string): Disposable {
    const watch = this.#watched.get(key) ?? { watchers: 0, pageId: this.#entries.peek(key)?.page.pageId, etag };
    watch.watchers += 1;
    this.#watched.set(key, watch);
    return {
      [Symbol.dispose]: () => {
        watch.watchers -= 1;
        if (watch.watchers === 0) this.#watched.delete(key);
      },
    };
  }

  #outdate(entry: Entry): void {
    entry.isOutdated = true;
    const isViewed = this.#options.now() - entry.viewedAt < RECENTLY_MS;
    if (isViewed || this.#watched.has(entry.key)) void this.#refresh(addressOf(entry.key));
  }

  /** Requests a page, or waits for the request that is already running. */
  #refresh(address: PageAddress): Promise<Answer> {
    const key = keyOf(address);
    const flight = this.#flights.get(key);
    if (flight) return flight.result;
    const startedAt = this.#options.now();
    const result = this.#request(address).finally(() => {
      const changed = this.#flights.get(key)?.changed;
      this.#flights.delete(key);
      const entry = this.#entries.peek(key);
      // A change made during the request may be missing from its result.
      if (entry && (changed === 'all' || changed?.has(entry.page.pageId))) this.#outdate(entry);
    });
    this.#flights.set(key, { startedAt, changed: new Set(), mayHaveMoved: false, result });
    return result;
  }

  /** Requests a page when it is its organization's turn. Returns the result and the time of the request. */
  async #fetch(address: PageAddress): Promise<{ readonly fetched: Fetched; readonly sentAt: number }> {
    const key = keyOf(address);
    const pageName = pageNameOf(address);
    const send = async () => {
      const sentAt = this.#options.now();
      const flight = this.#flights.get(key);
      if (flight) {
        // The response shows all changes that were made while the request waited.
        flight.changed = new Set();
        flight.mayHaveMoved = false;
      }
      return { fetched: await this.#options.fetch(address, this.#entries.peek(key)?.page.version), sentAt };
    };
    try {
      const result = await this.#requests.run(this.#owners.get(pageName) ?? pageName, send);
      if (result.fetched.kind === 'page') this.#owners.set(pageName, result.fetched.page.organizationId);
      return result;
    } catch (error) {
      if (error instanceof SlotsFullError) return { fetched: { kind: 'failed' }, sentAt: this.#options.now() };
      throw error;
    }
  }

  async #request(address: PageAddress): Promise<Answer> {
    const key = keyOf(address);
    const { fetched, sentAt } = await this.#fetch(address);
    const entry = this.#entries.peek(key);
    switch (fetched.kind) {
      case 'failed':
        if (!entry) return fetched;
        entry.failures += 1;
        entry.retryAt = this.#options.now() + this.#options.retryDelay(entry.failures);
        return this.#asOf(entry);
      case 'other':
        this.#entries.delete(key);
        if (fetched.response.body.length <= OTHERS.bytes && !this.#flights.get(key)?.mayHaveMoved) {
          this.#others.set(key, { until: sentAt + OTHERS.ms, response: fetched.response });
        }
        this.#announce(key, undefined, '');
        return fetched;
      case 'unchanged':
        // The entry may have been removed in the meantime.
        if (!entry) return this.#request(address);
        this.#verify(entry, sentAt, fetched.validMs);
        this.#announce(key, entry.page.pageId, entry.rendering.etag);
        return { kind: 'page', rendering: entry.rendering };
      case 'page': {
        const rendering = await render(fetched.page, new Date(sentAt));
        const fresh: Entry = {
          key,
          organizationId: fetched.page.organizationId,
          bytes: 2 * rendering.bytes,
          page: fetched.page,
          rendering,
          asOf: undefined,
          verifiedAt: sentAt,
          freshUntil: 0,
          isOutdated: false,
          failures: 0,
          retryAt: 0,
          viewedAt: entry?.viewedAt ?? sentAt,
        };
        this.#verify(fresh, sentAt, fetched.validMs);
        this.#entries.set(fresh);
        this.#announce(key, fetched.page.pageId, rendering.etag);
        return { kind: 'page', rendering };
      }
    }
  }

  #verify(entry: Entry, at: number, validMs: number): void {
    const maxAgeMs = this.#isInformed ? this.#options.maxAgeMs : UNINFORMED_MAX_AGE_MS;
    entry.verifiedAt = at;
    entry.freshUntil = at + Math.min(validMs, maxAgeMs);
    entry.isOutdated = false;
    entry.failures = 0;
    entry.asOf = undefined;
  }

  /** Returns the page with the notice that it may be outdated. */
  async #asOf(entry: Entry): Promise<Answer> {
    entry.asOf ??= renderAsOf(entry.page, new Date(entry.verifiedAt));
    const rendering = await entry.asOf;
    this.#announce(entry.key, entry.page.pageId, rendering.etag);
    return { kind: 'page', rendering };
  }

  #announce(key: string, pageId: string | undefined, etag: string): void {
    const watch = this.#watched.get(key);
    if (!watch) return;
    watch.pageId = pageId ?? watch.pageId;
    const isSame = contentVersion(watch.etag) === contentVersion(etag);
    watch.etag = etag;
    if (!isSame) this.#options.onChange?.(key, etag);
  }
}

/** Returns the key of a page in the cache. A host can't contain a slash, so the key is unique. */
export function keyOf({ host, path }: PageAddress): string {
  return host + path;
}

/**
 * Returns the name that all documents of a page share: the path with its slug, or a host that serves only this page.
 */
function pageNameOf({ host, path }: PageAddress): string {
  return /^\/s\/[^/]+/.exec(path)?.[0] ?? host;
}

function addressOf(key: string): PageAddress {
  const slash = key.indexOf('/');
  return { host: key.slice(0, slash), path: key.slice(slash) };
}

/** Returns the value of a promise, or undefined if it takes longer than `ms`. */
async function withinMs<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms), undefined);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
