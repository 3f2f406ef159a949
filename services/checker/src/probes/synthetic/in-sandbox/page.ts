import { createLocator, MAKERS } from './locator.ts';
import { createResponse, type Response, type ResponseData } from './response.ts';
import { matchesUrl } from './url-pattern.ts';
import type { Wire } from './wire.ts';

/** Methods of a page that take a selector as their first argument. */
const BY_SELECTOR = [
  ...['click', 'dblclick', 'hover', 'focus', 'fill', 'press', 'type', 'check', 'uncheck', 'selectOption'],
  ...['textContent', 'innerText', 'innerHTML', 'inputValue', 'getAttribute', 'isVisible', 'isHidden', 'isEnabled'],
  ...['isDisabled', 'isChecked'],
] as const;

/** Methods of a page that return a plain value. */
const DIRECT = [
  ...['title', 'content', 'setContent', 'waitForLoadState', 'waitForTimeout', 'waitForURL', 'setViewportSize'],
  ...['bringToFront', 'close', 'screenshot', 'evaluate', 'waitForFunction', 'setExtraHTTPHeaders'],
] as const;

const NAVIGATIONS = ['goto', 'reload', 'goBack', 'goForward'] as const;

type Method = (...args: unknown[]) => unknown;
export type UrlMatch = string | RegExp | ((subject: unknown) => boolean | Promise<boolean>);

export interface Pages {
  /** Returns the page with an id. The same id always returns the same object. */
  page(id: number): object;
  /** Records the URL of a page, as reported by the host. */
  moved(id: number, url: string): void;
}

export function createPages(wire: Wire, request: object): Pages {
  const pages = new Map<number, object>();
  const urls = new Map<number, string>();

  function create(id: number): object {
    const url = () => urls.get(id) ?? 'about:blank';
    const methods: Record<string, Method> = {
      url,
      isClosed: () => urls.get(id) === '',
      setDefaultTimeout: (ms) => void wire.call('page.setDefaultTimeout', [ms], id),
      setDefaultNavigationTimeout: (ms) => void wire.call('page.setDefaultNavigationTimeout', [ms], id),
      async waitForSelector(selector, options) {
        const locator = createLocator(wire, id, [['locator', selector], ['first']]);
        await wire.call('locator.waitFor', options === undefined ? [] : [options], id, locator.chain);
        return locator;
      },
      waitForResponse: (match, options) => waitForResponse(id, match as UrlMatch, options),
      async waitForEvent(event) {
        if (event !== 'popup') throw new Error(`page.waitForEvent knows popup only, not ${String(event)}`);
        return page(Number(await wire.call('page.popup', [], id)));
      },
    };
    for (const name of DIRECT) methods[name] = (...args) => wire.call(`page.${name}`, args, id);
    for (const name of MAKERS) methods[name] = (...args) => Reflect.apply(rootOf(id)[name] as Method, undefined, args);
    for (const name of BY_SELECTOR) {
      methods[name] = (selector, ...args) => wire.call(`locator.${name}`, args, id, [['locator', selector]]);
    }
    for (const name of NAVIGATIONS) {
      methods[name] = (...args) =>
        wire.call(`page.${name}`, args, id).then((data) => data && createResponse(wire, data as ResponseData));
    }
    const keyboard = { press: keys(id, 'press'), type: keys(id, 'type'), insertText: keys(id, 'insertText') };
    return Object.freeze({ ...methods, keyboard: Object.freeze(keyboard), request, pageId: id });
  }

  function keys(id: number, name: string): Method {
    return (...args) => wire.call(`page.keyboard.${name}`, args, id);
  }

  /** Returns an empty locator, whose methods start a locator chain. */
  function rootOf(id: number) {
    return createLocator(wire, id, []);
  }

  async function waitForResponse(id: number, match: UrlMatch, options: unknown): Promise<Response> {
    for (let after = 0; ; ) {
      const next = (await wire.call('page.nextResponse', [after, options ?? {}], id)) as {
        number: number;
        response: ResponseData;
      };
      after = next.number;
      const response = createResponse(wire, next.response);
      const fits = typeof match === 'function' ? await match(response) : matchesUrl(match, response.url());
      if (fits) return response;
    }
  }

  function page(id: number): object {
    const known = pages.get(id) ?? create(id);
    pages.set(id, known);
    return known;
  }

  return { page, moved: (id, url) => void urls.set(id, url) };
}
