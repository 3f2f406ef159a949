import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { ServiceError } from '@tocsin/errors';
import type { Logger } from '@tocsin/runtime';
import { acknowledgeOutage, getOutage } from '../app/outages.ts';
import type { Deps } from '../app/ports.ts';
import { outagePage } from './outage-page.ts';
import { type Document, NOT_FOUND_PAGE, UNAVAILABLE_PAGE } from './outage-shell.ts';

/** Bytes of a form with the name of who acknowledges. */
const MAX_FORM_BYTES = 4_096;

/** A page is read by everybody in a team at once: what it shows is read again after this time. */
const CACHED_MS = 1_000;
const MAX_CACHED = 1_000;

type Page = Document | undefined;

/**
 * Serves the page of an outage at `GET /o/{token}`, and acknowledges it at `POST /o/{token}`. A GET changes nothing,
 * because programs follow the links in messages. Every other path is a 404 page.
 */
export function outageWeb(deps: Deps, logger: Logger): RequestListener {
  const cached = new Map<string, { readonly page: Promise<Page>; readonly until: number }>();

  /** Returns the page of a token; requests within a second share it. */
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

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const token = /^\/o\/([^/?]+)$/.exec((request.url ?? '').split('?')[0] ?? '')?.[1];
    if (token === undefined) return send(request, response, 404, NOT_FOUND_PAGE);
    switch (request.method) {
      case 'GET':
      case 'HEAD': {
        const page = await pageOf(token);
        return send(request, response, page ? 200 : 404, page ?? NOT_FOUND_PAGE);
      }
      case 'POST': {
        const form = await readForm(request);
        const outcome = await acknowledgeOutage(deps, { token, name: (form.get('name') ?? '').trim() });
        cached.delete(token);
        if (outcome === 'not_found') return send(request, response, 404, NOT_FOUND_PAGE);
        // The page itself says what became of it; reloading that one sends nothing twice.
        response.writeHead(303, { ...HEADERS, location: `/o/${token}`, 'content-length': 0 });
        response.end();
        return;
      }
      default:
        response.writeHead(405, { allow: 'GET, HEAD, POST', 'content-length': 0 });
        response.end();
    }
  }

  return (request, response) => {
    serve(request, response).catch((error: unknown) => {
      // The path is a secret.
      logger.error({ err: error }, 'an outage page failed');
      const unavailable = error instanceof ServiceError && error.kind === 'unavailable';
      if (unavailable) response.setHeader('retry-after', '10');
      send(request, response, unavailable ? 503 : 500, UNAVAILABLE_PAGE);
    });
  };
}

/** Returns the fields of a form; what is too long to be one has none. */
async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= MAX_FORM_BYTES) chunks.push(chunk);
  }
  return new URLSearchParams(bytes <= MAX_FORM_BYTES ? Buffer.concat(chunks).toString() : '');
}

/** The address is a secret: no cache stores it, no search engine lists it, no other site learns it. */
const HEADERS = {
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow, noarchive',
};

function send(request: IncomingMessage, response: ServerResponse, status: number, document: Document): void {
  const body = Buffer.from(document.text);
  response.writeHead(status, {
    ...HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-length': body.length,
    'content-security-policy': document.contentSecurityPolicy,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
