import { acknowledgeOutage, getOutage } from '../app/outages.ts';
import type { Deps } from '../app/ports.ts';
import { outagePage } from './outage-page.ts';
import { type Document, NOT_FOUND_PAGE } from './outage-shell.ts';
import { type Exchange, readForm, redirectTo, refuseMethod, sendPage } from './send-page.ts';

/** Milliseconds for which a page is cached, because a whole team may open it at the same time. */
const CACHED_MS = 1_000;
const MAX_CACHED = 1_000;

type Page = Document | undefined;

/** Handles links to outages. A GET shows the outage page, and a POST acknowledges the outage. */
export function outagePages(deps: Deps): (exchange: Exchange, token: string) => Promise<void> {
  const cached = new Map<string, { readonly page: Promise<Page>; readonly until: number }>();

  /** Returns the page for a token. All requests within CACHED_MS get the same page. */
  function pageOf(token: string): Promise<Page> {
    const now = deps.now();
    const known = cached.get(token);
    if (known && known.until > now.getTime()) return known.page;
    if (cached.size >= MAX_CACHED) cached.clear();
    const page = getOutage(deps, token).then((outage) => outage && outagePage(outage, now));
    cached.set(token, { page, until: now.getTime() + CACHED_MS });
    page.catch(() => cached.delete(token));
    return page;
  }

  return async (exchange, token) => {
    const { request } = exchange;
    if (request.method === 'POST') {
      const form = await readForm(request);
      const outcome = await acknowledgeOutage(deps, { token, name: (form.get('name') ?? '').trim() });
      cached.delete(token);
      if (outcome === 'not_found') sendPage(exchange, 404, NOT_FOUND_PAGE);
      // The page to which the browser is redirected shows the result.
      else redirectTo(exchange, `/o/${token}`);
    } else if (request.method === 'GET' || request.method === 'HEAD') {
      const page = await pageOf(token);
      sendPage(exchange, page ? 200 : 404, page ?? NOT_FOUND_PAGE);
    } else refuseMethod(exchange);
  };
}
