import type { BrowserContext, Page } from 'playwright-core';
import type { ResponseData } from './in-sandbox/response.ts';
import { Refusal } from './readers.ts';
import { ResponseLog } from './response-log.ts';

const MAX_PAGES = 5;
const POPUP_TIMEOUT_MS = 30_000;
const RESPONSE_TIMEOUT_MS = 30_000;
const MAX_RESPONSE_TIMEOUT_MS = 60_000;

export interface PageEvents {
  /** Called when the main frame of a page has navigated. When a page was closed, called with an empty URL. */
  readonly onMove: (id: number, url: string) => void;
  /** Called when a page was opened although the maximum number of pages was reached. */
  readonly onTooMany: (limit: number) => void;
}

/** Pages of a run and the responses that the pages received, by the ids that the script uses. */
export class OpenPages {
  readonly #context: BrowserContext;
  readonly #events: PageEvents;
  readonly #pages = new Map<number, Page>();
  readonly #responses = new ResponseLog();
  /** Ids of popups that `nextPopup` has not returned yet. */
  readonly #popups: number[] = [];
  /** Functions to call whenever there is a new response or popup. */
  readonly #waiting = new Set<() => void>();
  #opening = 0;
  #lastPage = 0;
  #current: Page | undefined;

  constructor(context: BrowserContext, events: PageEvents) {
    this.#context = context;
    this.#events = events;
    context.on('page', (page) => this.#add(page));
  }

  /** The most recently used page, which the screenshot shows. */
  get current(): Page | undefined {
    return this.#current?.isClosed() ? [...this.#pages.values()].at(-1) : this.#current;
  }

  /** Returns the page with an id and makes it the page for the screenshot. */
  use(id: unknown): Page {
    const page = typeof id === 'number' ? this.#pages.get(id) : undefined;
    if (!page) throw new Refusal('is asked of a page that is closed');
    this.#current = page;
    return page;
  }

  /** Opens a page and returns its id. */
  async open(): Promise<number> {
    if (this.#pages.size + this.#opening >= MAX_PAGES) {
      throw new Refusal(`opens one too many: a check has at most ${MAX_PAGES} pages`);
    }
    this.#opening += 1;
    try {
      const page = await this.#context.newPage();
      return [...this.#pages].find(([, known]) => known === page)?.[0] ?? 0;
    } finally {
      this.#opening -= 1;
    }
  }

  ids(): number[] {
    return [...this.#pages.keys()];
  }

  /**
   * Returns the id of the oldest popup that has not been returned yet. If there is none, waits for the next popup.
   */
  async nextPopup(id: unknown): Promise<number> {
    this.use(id);
    return this.#until(() => this.#popups.shift(), POPUP_TIMEOUT_MS, 'a popup');
  }

  /**
   * Returns the first response of the page `id` with a number greater than `after`. If there is none, waits for it. If
   * `after` is 0, waits for the next new response.
   */
  async nextResponse(
    id: unknown,
    after: number,
    { timeout = RESPONSE_TIMEOUT_MS }: { readonly timeout?: number },
  ): Promise<{ number: number; response: ResponseData }> {
    this.use(id);
    const from = after > 0 ? after : this.#responses.last;
    const limit = Math.min(timeout, MAX_RESPONSE_TIMEOUT_MS);
    return this.#until(() => this.#responses.firstAfter(Number(id), from), limit, 'a response');
  }

  textOf(response: unknown): Promise<string> {
    return this.#responses.textOf(response);
  }

  /** Converts a value for the script: a response becomes ResponseData, and other values are unchanged. */
  async describe(value: unknown): Promise<unknown> {
    return this.#responses.describe(value);
  }

  #add(page: Page): void {
    const { onMove, onTooMany } = this.#events;
    if (this.#pages.size >= MAX_PAGES) {
      onTooMany(MAX_PAGES);
      return;
    }
    this.#lastPage += 1;
    const id = this.#lastPage;
    this.#pages.set(id, page);
    this.#current ??= page;
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) onMove(id, frame.url());
    });
    page.on('close', () => {
      this.#pages.delete(id);
      onMove(id, '');
    });
    page.on('response', (response) => {
      this.#responses.add(id, response);
      this.#wake();
    });
    void page.opener().then(
      (opener) => {
        if (opener) this.#addPopup(id);
      },
      () => {},
    );
  }

  #addPopup(id: number): void {
    this.#popups.push(id);
    this.#wake();
  }

  #wake(): void {
    for (const check of this.#waiting) check();
  }

  /** Waits until `find` returns a value, and returns it. */
  async #until<Value>(find: () => Value | undefined, timeoutMs: number, what: string): Promise<Value> {
    const found = Promise.withResolvers<Value>();
    const check = () => {
      const value = find();
      if (value !== undefined) found.resolve(value);
    };
    this.#waiting.add(check);
    const timer = setTimeout(() => found.reject(new Refusal(`waited ${timeoutMs} ms for ${what}`)), timeoutMs);
    check();
    return found.promise.finally(() => {
      this.#waiting.delete(check);
      clearTimeout(timer);
    });
  }
}
