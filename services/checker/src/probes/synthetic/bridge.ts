import type { Netguard } from '@tocsin/netguard';
import type { BrowserContext } from 'playwright-core';
import { explain } from './failure-words.ts';
import { LOCATOR_CALLS, locatorOf } from './locator-calls.ts';
import type { OpenPages } from './open-pages.ts';
import { callByName, PAGE_CALLS } from './page-calls.ts';
import type { FailureKind } from './protocol.ts';
import { either, fields, flag, httpUrl, listOf, number, oneOf, Refusal, readAll, text, texts } from './readers.ts';
import { sendRequest } from './script-request.ts';

/** A call from a script before validation. */
export interface Call {
  readonly method: string;
  readonly target: unknown;
  readonly chain: unknown;
  readonly args: readonly unknown[];
}

export type CallResult = { readonly value?: unknown } | { readonly failure: { message: string; kind: FailureKind } };

export interface BridgeDeps {
  readonly context: BrowserContext;
  readonly pages: OpenPages;
  readonly guard: Netguard;
  /** Returns the reason why the proxy could not reach the host of a URL; undefined if unknown. */
  readonly whyUnreachable: (url: string) => string | undefined;
}

const MAX_RESULT_LENGTH = 512 * 1024;
const MAX_COOKIES = 100;

const cookie = fields({
  name: text,
  value: text,
  url: text,
  domain: text,
  path: text,
  expires: number,
  httpOnly: flag,
  secure: flag,
  sameSite: oneOf('Strict', 'Lax', 'None'),
});

/**
 * Runs a script's call if its method is listed in `PAGE_CALLS`, `LOCATOR_CALLS`, or the lists for contexts, responses
 * and requests below. The lists define how arguments are rebuilt, so that no value from a script reaches Playwright
 * unchanged. Never throws.
 */
export async function runCall(deps: BridgeDeps, call: Call): Promise<CallResult> {
  const dot = call.method.indexOf('.');
  const [kind, name] = [call.method.slice(0, dot), call.method.slice(dot + 1)];
  try {
    const value = await dispatch(deps, kind, name, call);
    if ((JSON.stringify(value) ?? '').length > MAX_RESULT_LENGTH) {
      throw new Refusal(`returns more than ${MAX_RESULT_LENGTH} characters`);
    }
    return value === undefined ? {} : { value };
  } catch (error) {
    return { failure: explain(error, `${kind}.${name}`.slice(0, 60), deps.whyUnreachable) };
  }
}

async function dispatch(deps: BridgeDeps, kind: string, name: string, { target, chain, args }: Call): Promise<unknown> {
  const { pages } = deps;
  switch (kind) {
    case 'locator': {
      const readers = Object.hasOwn(LOCATOR_CALLS, name) ? LOCATOR_CALLS[name] : undefined;
      if (!readers) break;
      const value = await callByName(locatorOf(pages.use(target), chain), name, readAll(readers, args));
      return value ?? undefined;
    }
    case 'page': {
      if (name === 'popup') return pages.nextPopup(target);
      if (name === 'nextResponse') {
        const [after, options] = readAll([number, fields({ timeout: number })], args);
        return pages.nextResponse(target, Number(after), options as { timeout?: number });
      }
      const found = PAGE_CALLS.get(name);
      if (!found) break;
      const value = await found.run(pages.use(target), readAll(found.readers, args));
      return pages.describe(value);
    }
    case 'response':
      if (name === 'text') return pages.textOf(target);
      break;
    case 'context':
      return inContext(deps, name, args);
    case 'request':
      return sendRequest(deps.guard, name, args);
  }
  throw new Refusal('is not there for synthetic checks');
}

async function inContext({ context, pages }: BridgeDeps, name: string, args: readonly unknown[]): Promise<unknown> {
  switch (name) {
    case 'newPage':
      return pages.open();
    case 'pages':
      return pages.ids();
    case 'cookies': {
      const [urls] = readAll([either(httpUrl, listOf(httpUrl))], args);
      return (await context.cookies(urls as string | string[] | undefined)).slice(0, MAX_COOKIES);
    }
    case 'addCookies': {
      const [cookies] = readAll([listOf(cookie)], args);
      return context.addCookies(cookies as Parameters<BrowserContext['addCookies']>[0]);
    }
    case 'clearCookies':
      return context.clearCookies();
    case 'setExtraHTTPHeaders': {
      const [headers] = readAll([texts], args);
      return context.setExtraHTTPHeaders(headers as Record<string, string>);
    }
  }
  throw new Refusal('is not there for synthetic checks');
}
