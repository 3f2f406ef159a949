import type { BrowserContext, Page, Response } from 'playwright-core';
import type { ResponseFacts } from './in-sandbox/response.ts';
import { Refusal } from './readers.ts';

const MAX_PAGES = 5;
const MAX_RESPONSES = 100;
const MAX_TEXT_BYTES = 256 * 1024;

interface Seen {
  readonly number: number;
  readonly page: number;
  readonly response: Response;
}

/** The pages of a run and the answers that they got, by the numbers that the script knows them by. */
export interface OpenPages {
  /** The page of a number; it is from now on the one that a screenshot would show. */
  use(id: unknown): Page;
  /** The page that was used last. */
  readonly current: Page | undefined;
  open(): Promise<number>;
  ids(): number[];
  /** The number of the next page that this one opens, or that was opened and not asked for yet. */
  nextPopup(id: unknown): Promise<number>;
  /** The first answer to a page after a number, or from now on if that is 0. */
  nextResponse(
    id: unknown,
    after: number,
    options: { readonly timeout?: number },
  ): Promise<{ number: number; response: ResponseFacts }>;
  textOf(response: unknown): Promise<string>;
  /** What a script is told of a value: plain ones as they are, answers as facts. */
  describe(value: unknown): Promise<unknown>;
}

export interface PageEvents {
  /** Where the main frame of a page went; empty: it is closed. */
  readonly onMove: (id: number, url: string) => void;
  /** There is one page more than a check may have. */
  readonly onTooMany: (most: number) => void;
}

/** Follows the pages of a context. */
export function reactToPages(context: BrowserContext, { onMove, onTooMany }: PageEvents): OpenPages {
  const pages = new Map<number, Page>();
  const popups: number[] = [];
  const seen: Seen[] = [];
  const waiting = new Set<() => void>();
  let opening = 0;
  let lastPage = 0;
  let lastResponse = 0;
  let current: Page | undefined;

  const wake = () => {
    for (const look of waiting) look();
  };

  context.on('page', (page) => {
    if (pages.size >= MAX_PAGES) return onTooMany(MAX_PAGES);
    const id = ++lastPage;
    pages.set(id, page);
    current ??= page;
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) onMove(id, frame.url());
    });
    page.on('close', () => {
      pages.delete(id);
      onMove(id, '');
    });
    page.on('response', (response) => {
      seen.push({ number: ++lastResponse, page: id, response });
      if (seen.length > MAX_RESPONSES) seen.shift();
      wake();
    });
    void page.opener().then(
      (opener) => {
        if (!opener) return;
        popups.push(id);
        wake();
      },
      () => {},
    );
  });

  function use(id: unknown): Page {
    const page = typeof id === 'number' ? pages.get(id) : undefined;
    if (!page) throw new Refusal('is asked of a page that is closed');
    current = page;
    return page;
  }

  /** What `look` finds, now or when something happened. */
  async function until<Value>(look: () => Value | undefined, timeout: number, words: string): Promise<Value> {
    const found = Promise.withResolvers<Value>();
    const check = () => {
      const value = look();
      if (value !== undefined) found.resolve(value);
    };
    waiting.add(check);
    const timer = setTimeout(() => found.reject(new Refusal(`waited ${timeout} ms for ${words}`)), timeout);
    check();
    return found.promise.finally(() => {
      waiting.delete(check);
      clearTimeout(timer);
    });
  }

  function factsOf({ number, response }: Seen): ResponseFacts {
    return {
      id: number,
      url: response.url(),
      status: response.status(),
      statusText: response.statusText(),
      method: response.request().method(),
      headers: response.headers(),
    };
  }

  return {
    use,
    get current() {
      return current?.isClosed() ? [...pages.values()].at(-1) : current;
    },
    async open() {
      if (pages.size + opening >= MAX_PAGES)
        throw new Refusal(`opens one too many: a check has at most ${MAX_PAGES} pages`);
      opening += 1;
      try {
        const page = await context.newPage();
        return [...pages].find(([, known]) => known === page)?.[0] ?? 0;
      } finally {
        opening -= 1;
      }
    },
    ids: () => [...pages.keys()],
    async nextPopup(id) {
      use(id);
      return until(() => popups.shift(), 30_000, 'a popup');
    },
    async nextResponse(id, after, { timeout = 30_000 }) {
      use(id);
      const from = after > 0 ? after : lastResponse;
      const next = () => seen.find(({ number, page }) => page === id && number > from);
      const found = await until(next, Math.min(timeout, 60_000), 'a response');
      return { number: found.number, response: factsOf(found) };
    },
    async textOf(response) {
      const found = seen.find(({ number }) => number === response);
      if (!found) throw new Refusal(`is asked of a response that is gone: the last ${MAX_RESPONSES} are kept`);
      const body = await found.response.body();
      if (body.length > MAX_TEXT_BYTES) throw new Refusal(`answers more than ${MAX_TEXT_BYTES} bytes`);
      return body.toString();
    },
    async describe(value) {
      const answer = seen.find(({ response }) => response === value);
      if (answer) return factsOf(answer);
      // One that is remembered no more; what a page evaluated to holds no functions.
      const isAnswer =
        typeof value === 'object' && value !== null && typeof Reflect.get(value, 'status') === 'function';
      return isAnswer ? undefined : (value ?? undefined);
    },
  };
}
