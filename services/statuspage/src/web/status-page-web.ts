import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { ServiceError } from '@tocsin/errors';
import { PAGE_HEADERS, PAGE_HOST_PATH, pageTag, TLS_ASK_PATH } from '@tocsin/html';
import { FairSlots, type Logger, SlotsFullError } from '@tocsin/runtime';
import { LRUCache } from 'lru-cache';
import { isActiveDomain, isPageHost } from '../app/custom-domains.ts';
import { getPageHistory } from '../app/get-page-history.ts';
import { findRenamedSlug, getPublicPage, type PublicName } from '../app/get-public-page.ts';
import type { Deps } from '../app/ports.ts';
import type { Selection } from '../domain/disruption.ts';
import { logoAtPath } from '../domain/logo.ts';
import type { StatusPage } from '../domain/page.ts';
import { installationHost, pageUrl, publicUrl } from '../domain/public-url.ts';
import { logoResource } from './formats/logo.ts';
import { isResourcePath, type Resource, resourceAt, selectionForResource } from './formats/resources.ts';
import { textsOf } from './messages/texts.ts';
import type { Document } from './page-shell.ts';
import { LANDING_PAGE, NOT_FOUND_PAGE, nothingBelowPage, TROUBLE_PAGE } from './plain-pages.ts';
import { statusPageHtml } from './status-page-html.ts';
import { isSubPagePath, type SubPage, selectionFor, showsUptime, subPageAt, subPageHtml } from './sub-pages.ts';

/**
 * Maximum number of page views that are being rendered or waiting at the same time, in total and for one organization.
 */
const SHARE = { slots: 4, perTenant: 2, waitingPerTenant: 150, waiting: 500 };

/** Maximum number of pages whose organization is remembered. */
const MAX_OWNERS = 10_000;

/**
 * Browsers revalidate a page before each use, so that visitors never see an outdated status. Shared caches may serve a
 * page for a few seconds, and continue to serve it while this installation is unavailable (RFC 5861).
 */
const CACHE_CONTROL = 'public, max-age=0, s-maxage=5, stale-while-revalidate=30, stale-if-error=86400';

/**
 * Serves public pages and their machine-readable formats. A page is at `GET /s/{slug}`, except on hosts of other pages,
 * and at `GET /` on its own host. The formats are below the address of the page. `GET /internal/tls-ask` returns
 * whether a proxy may request a certificate for a host, and `GET /internal/page-host` whether a host belongs to one
 * page. Every other path is a 404 page.
 */
export function statusPageWeb(deps: Deps, logger: Logger): RequestListener {
  const slots = new FairSlots(SHARE);
  /** The organizations of pages that were served, by shareOf(). */
  const owners = new LRUCache<string, string>({ max: MAX_OWNERS });
  return (request, response) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    const share = shareOf(path, hostOf(request));
    const view = async () => {
      if (response.destroyed) return;
      await serve(deps, request, response);
      const owner = response.getHeader(PAGE_HEADERS.organizationId);
      if (typeof owner === 'string') owners.set(share, owner);
    };
    slots.run(owners.get(share) ?? share, view).catch((error: unknown) => {
      const isFull = error instanceof SlotsFullError;
      if (!isFull) logger.error({ err: error, path: request.url }, 'public page failed');
      const isUnavailable = isFull || (error instanceof ServiceError && error.kind === 'unavailable');
      if (isUnavailable) response.setHeader('retry-after', '10');
      send(request, response, isUnavailable ? 503 : 500, TROUBLE_PAGE);
    });
  };
}

/**
 * Returns the name of the page to which a request leads. All documents below a page's address have the same name. Its
 * organization is not known before the page was served for the first time; until then, the page has limits of its own.
 * Each internal path has limits of its own, too.
 */
function shareOf(path: string, host: string): string {
  if (path === TLS_ASK_PATH || path === PAGE_HOST_PATH) return path;
  const { name } = addressIn(path, host);
  if (!name) return 'no page';
  return 'slug' in name ? `slug ${name.slug}` : `host ${name.host}`;
}

async function serve(deps: Deps, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD', 'content-length': 0 });
    response.end();
    return;
  }
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  if (path === TLS_ASK_PATH) {
    const domain = new URLSearchParams(query).get('domain') ?? '';
    response.writeHead((await isActiveDomain(deps, { domain })) ? 200 : 404, { 'content-length': 0 });
    response.end();
    return;
  }
  if (path === PAGE_HOST_PATH) {
    const host = (new URLSearchParams(query).get('host') ?? '').toLowerCase();
    const answer = (await isPageHost(deps, { host })) ? 'yes' : 'no';
    response.writeHead(204, { [PAGE_HEADERS.isPageHost]: answer });
    response.end();
    return;
  }
  const host = hostOf(request);
  const { name, rest } = addressIn(path, host);
  // A page's own host must not serve other pages, because they would appear under its name and certificate.
  const isElsewhere = name !== undefined && 'slug' in name && (await isPageHost(deps, { host }));
  const now = deps.now();
  const subPage = subPageAt(rest, now);
  const selection = selectionOf(rest, subPage, now);
  const page = name && !isElsewhere ? await getPublicPage(deps, name, selection) : undefined;
  if (!page || !name) {
    if (path === '/' && host === installationHost(deps.address)) return send(request, response, 200, LANDING_PAGE);
    const renamed = name && !isElsewhere ? await findRenamedSlug(deps, name) : undefined;
    if (renamed !== undefined) {
      const current = name && 'slug' in name ? `/s/${renamed}` : publicUrl(renamed, deps.address);
      return redirect(response, rest === '' ? current : `${current}/${rest}`);
    }
    // Without this header, caches could serve the 404 after the page is enabled.
    response.setHeader('cache-control', 'max-age=0');
    return send(request, response, 404, NOT_FOUND_PAGE);
  }

  const texts = textsOf(page.page.locale);
  const hasUptime = rest === '' || (subPage !== undefined && showsUptime(subPage));
  const history = hasUptime ? await getPageHistory(deps, page) : undefined;
  const base = 'slug' in name ? `/s/${name.slug}` : '';
  const url = pageUrl(page.page, deps.address);
  const logo = logoAtPath(rest);
  const document = logo
    ? await logoResource(deps, page.page, logo)
    : subPage
      ? subPageHtml(subPage, { content: page, history, base, url, texts, now })
      : rest === ''
        ? statusPageHtml(page, { history, base, url, texts, now })
        : await resourceAt(rest, page, { url, texts });
  if (!document) return send(request, response, 404, nothingBelowPage(texts, base));
  const checkedAt = rest === '' && page.lastChecks.kind === 'checked' ? page.lastChecks.at : undefined;
  const version = 'version' in document ? document.version : versionOf(document, page.page);
  const etag = `"${pageTag(version, checkedAt)}"`;
  response.setHeader('etag', etag);
  if (checkedAt) response.setHeader(PAGE_HEADERS.checkedAt, checkedAt.toISOString());
  if (page.page.noindex) response.setHeader('x-robots-tag', 'noindex');
  response.setHeader('cache-control', 'maxAge' in document ? cacheFor(document.maxAge) : CACHE_CONTROL);
  response.setHeader(PAGE_HEADERS.pageId, page.page.id);
  response.setHeader(PAGE_HEADERS.organizationId, page.page.organizationId);
  response.setHeader(PAGE_HEADERS.validMs, page.validMs);
  if (names(request.headers['if-none-match'], etag)) {
    response.writeHead(304);
    response.end();
    return;
  }
  send(request, response, 200, document);
}

/** Returns the version of a resource: a hash of its text and of the setting `noindex`, which changes its headers. */
function versionOf({ body }: Resource, { noindex }: StatusPage): string {
  const hash = createHash('sha256').update(body);
  return (noindex ? hash.update('noindex') : hash).digest('base64url');
}

/**
 * Redirects to the current address of a page. Browsers must not use a stored redirect, because the page may get its old
 * slug again. The new slug would then redirect to the old one, and the stored redirect back to the new one.
 */
function redirect(response: ServerResponse, location: string): void {
  response.writeHead(301, { location, 'cache-control': 'max-age=0', 'content-length': 0 });
  response.end();
}

interface Address {
  /** Name of the page; undefined if the path can not belong to any page. */
  readonly name: PublicName | undefined;
  /** Path below the page's address, without a slash at the start; empty for the page itself. */
  readonly rest: string;
}

function addressIn(path: string, host: string): Address {
  const [, slug, below = ''] = /^\/s\/([^/]+)(?:\/(.*))?$/.exec(path) ?? [];
  const rest = slug === undefined ? path.slice(1) : below;
  if (rest !== '' && !isResourcePath(rest) && !isSubPagePath(rest) && !logoAtPath(rest))
    return { name: undefined, rest };
  return { name: slug === undefined ? { host } : { slug }, rest };
}

/**
 * Returns which disruptions the document at a path contains; undefined for the default selection of the status page.
 */
function selectionOf(rest: string, subPage: SubPage | undefined, now: Date): Selection | undefined {
  if (subPage) return selectionFor(subPage, now);
  return rest === '' ? undefined : selectionForResource(rest, now);
}

function cacheFor(seconds: Resource['maxAge']): string {
  if (seconds === 'unlimited') return 'public, max-age=31536000, immutable';
  return `public, max-age=${seconds}, stale-while-revalidate=30, stale-if-error=86400`;
}

/** Returns the host that the visitor requested, as forwarded by the gateway, without a port. */
function hostOf({ headers }: IncomingMessage): string {
  const host = String(headers['x-forwarded-host'] ?? headers.host ?? '');
  return host.toLowerCase().replace(/:\d+$/, '');
}

function send(request: IncomingMessage, response: ServerResponse, status: number, document: Document | Resource): void {
  const body = Buffer.from('body' in document ? document.body : document.text);
  const headers =
    'contentType' in document
      ? {
          'content-type': document.contentType,
          'access-control-allow-origin': '*',
          // If an SVG is opened directly, the browser treats it as a document, so the SVG needs a policy.
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        }
      : {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': document.contentSecurityPolicy,
          'referrer-policy': 'strict-origin-when-cross-origin',
        };
  response.writeHead(status, { ...headers, 'content-length': body.length, 'x-content-type-options': 'nosniff' });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Returns whether an If-None-Match header contains the tag. Weak comparison is sufficient (RFC 9110 §13.1.2). */
function names(header: string | undefined, etag: string): boolean {
  const tags = header?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes('*') || tags.includes(etag);
}
