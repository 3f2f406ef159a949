import type { Page } from 'playwright-core';
import {
  code,
  fields,
  json,
  number,
  oneOf,
  pageUrl,
  type Reader,
  Refusal,
  text,
  textOrPattern,
  texts,
} from './readers.ts';

const waitUntil = oneOf('load', 'domcontentloaded', 'networkidle', 'commit');
const navigation = fields({ timeout: number, waitUntil });

interface PageCall {
  readonly readers: readonly Reader[];
  readonly run: (page: Page, args: readonly unknown[]) => Promise<unknown> | unknown;
}

const MAX_WAIT_MS = 60_000;

/** Methods of Playwright's page that are called with the validated arguments unchanged. */
const AS_THEY_ARE: Readonly<Record<string, readonly Reader[]>> = {
  title: [],
  content: [],
  setContent: [text, navigation],
  waitForLoadState: [oneOf('load', 'domcontentloaded', 'networkidle'), fields({ timeout: number })],
  waitForURL: [textOrPattern, navigation],
  bringToFront: [],
  close: [],
  setDefaultTimeout: [number],
  setDefaultNavigationTimeout: [number],
  setExtraHTTPHeaders: [texts],
  goto: [pageUrl, fields({ timeout: number, waitUntil, referer: text })],
  reload: [navigation],
  goBack: [navigation],
  goForward: [navigation],
};

const SPECIAL: Readonly<Record<string, PageCall>> = {
  waitForTimeout: {
    readers: [number],
    run: (page, [ms]) => page.waitForTimeout(Math.min(Number(ms), MAX_WAIT_MS)),
  },
  setViewportSize: {
    readers: [fields({ width: number, height: number })],
    run: (page, [size]) => {
      const { width, height } = size as { width: number; height: number };
      if (width < 1 || height < 1 || width > 2_560 || height > 2_560) throw new Refusal('takes sizes from 1 to 2560');
      return page.setViewportSize({ width, height });
    },
  },
  // This call has no effect, because a screenshot is taken automatically when a check fails.
  screenshot: { readers: [json], run: () => undefined },
  // The function is passed as a string, so that the host never evaluates a tenant's function.
  evaluate: { readers: [code, json], run: (page, args) => page.evaluate(applied(args)) },
  waitForFunction: {
    readers: [code, json, fields({ timeout: number })],
    run: async (page, [body, arg, options]) =>
      void (await page.waitForFunction(applied([body, arg]), undefined, options as { timeout?: number })),
  },
  'keyboard.press': {
    readers: [text, fields({ delay: number })],
    run: (page, [key]) => page.keyboard.press(String(key)),
  },
  'keyboard.type': {
    readers: [text, fields({ delay: number })],
    run: (page, [keys]) => page.keyboard.type(String(keys)),
  },
  'keyboard.insertText': { readers: [text], run: (page, [keys]) => page.keyboard.insertText(String(keys)) },
};

/** Calls allowed on a page. */
export const PAGE_CALLS: ReadonlyMap<string, PageCall> = new Map([
  ...Object.entries(SPECIAL),
  ...Object.entries(AS_THEY_ARE).map(([name, readers]): [string, PageCall] => [
    name,
    { readers, run: (page, args) => callByName(page, name, args) },
  ]),
]);

/**
 * Calls a method of an object by name. The caller must have found the name in one of the tables of allowed calls, such
 * as AS_THEY_ARE.
 */
export function callByName(object: object, name: string, args: readonly unknown[]): unknown {
  const method: unknown = Reflect.get(object, name);
  if (typeof method !== 'function') throw new Refusal(`there is no ${name}`);
  return Reflect.apply(method, object, args);
}

/**
 * Returns the expression that the page evaluates. A function becomes a call of the function with its argument. Any
 * other expression stays unchanged.
 */
function applied([body, arg]: readonly unknown[]): string {
  const text = String(body);
  return text.startsWith('(') && text.endsWith(')') ? `(${text})(${JSON.stringify(arg ?? null)})` : text;
}
