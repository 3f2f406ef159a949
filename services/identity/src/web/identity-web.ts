import type { RequestListener } from 'node:http';
import { type ErrorKind, ServiceError } from '@tocsin/errors';
import type { Logger } from '@tocsin/runtime';
import type { Accounts } from './accounts.ts';
import { type Exchange, sendPage } from './exchange.ts';
import { plainDocument } from './shell.ts';

type Handler = (exchange: Exchange) => Promise<void> | void;

/** Handlers of a path. */
export interface WebRoute {
  /** Path such as `/account/sessions/:id`. The last part may be `*`, which matches all paths below. */
  readonly path: string;
  /** Handles GET and HEAD. */
  readonly get?: Handler;
  /** Handles a POST that a page of this installation sent. Other POST requests are refused. */
  readonly post?: Handler;
  /** Handles every method from every origin, for endpoints that programs call. */
  readonly any?: Handler;
}

const NOT_FOUND = plainDocument('There is nothing at this address', 'It may be cut off or out of date.');
const FAILED = plainDocument('This page is temporarily unavailable', 'Please try again in a minute.');

/** Status and title of the pages for expected errors, by kind. The page shows the message of the error. */
const REFUSALS: Partial<Record<ErrorKind, { readonly status: number; readonly title: string }>> = {
  not_found: { status: 404, title: 'There is nothing at this address' },
  forbidden: { status: 403, title: 'This is not allowed' },
  invalid: { status: 422, title: 'This is not possible' },
};

/** Serves the pages and endpoints of identity for browsers. The gateway forwards requests to it. */
export function identityWeb(
  routes: readonly WebRoute[],
  { accounts, baseUrl, logger }: { accounts: Accounts; baseUrl: string; logger: Logger },
): RequestListener {
  const compiled = routes.map((route) => ({ route, pattern: patternOf(route.path) }));
  const otherOrigin = plainDocument(
    'This form is not from this site',
    `Nothing was changed. Open the page again at ${baseUrl}, which is the only address at which it works.`,
  );

  async function serve(exchange: Exchange): Promise<void> {
    const { request, url } = exchange;
    const method = request.method ?? '';
    for (const { route, pattern } of compiled) {
      const match = pattern.exec(url.pathname);
      if (!match) continue;
      const matched = { ...exchange, params: { ...match.groups } };
      const handle = route.any ?? (method === 'POST' ? route.post : /^(GET|HEAD)$/.test(method) && route.get);
      if (!handle) return refuseMethod(exchange, route);
      if (handle === route.post && !accounts.isSameOrigin(request)) return sendPage(exchange, 403, otherOrigin);
      return handle(matched);
    }
    sendPage(exchange, 404, NOT_FOUND);
  }

  return (request, response) => {
    const url = URL.parse(request.url ?? '', 'http://identity.invalid') ?? new URL('http://identity.invalid/');
    const exchange = { request, response, url, params: {} };
    serve(exchange).catch((error: unknown) => {
      const refused = error instanceof ServiceError && REFUSALS[error.kind];
      // Do not log the path, because it may contain a secret.
      if (!refused) logger.error({ err: error }, 'a page of identity failed');
      if (response.headersSent) return response.destroy();
      if (refused) return sendPage(exchange, refused.status, plainDocument(refused.title, error.message));
      const unavailable = error instanceof ServiceError && error.kind === 'unavailable';
      if (unavailable) response.setHeader('retry-after', '10');
      sendPage(exchange, unavailable ? 503 : 500, FAILED);
    });
  };
}

function refuseMethod({ response }: Exchange, { get, post }: WebRoute): void {
  const allow = [...(get ? ['GET', 'HEAD'] : []), ...(post ? ['POST'] : [])].join(', ');
  response.writeHead(405, { allow, 'content-length': 0 });
  response.end();
}

function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part) => {
    if (part === '*') return '.*';
    return part.startsWith(':') ? `(?<${part.slice(1)}>[^/]+)` : part.replace(/[.]/g, '\\.');
  });
  return new RegExp(`^${parts.join('/')}/?$`);
}
