import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { html } from '@tocsin/html';
import { type Document, documentOf } from './shell.ts';

/** Maximum size of a form in bytes. The gateway refuses larger bodies. */
const MAX_FORM_BYTES = 16 * 1024;

/** Headers that exclude account pages from caches and search engines, and hide their addresses from other sites. */
const HEADERS = {
  'cache-control': 'private, no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex, nofollow',
};

/** A request for a page, and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path and query of the request. The origin is a placeholder. */
  readonly url: URL;
  /** Values of the named parts of the route's path. */
  readonly params: Readonly<Record<string, string>>;
}

export function sendPage({ request, response }: Exchange, status: number, document: Document): void {
  const body = Buffer.from(document.text);
  response.writeHead(status, {
    ...HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-length': body.length,
    'content-security-policy': document.contentSecurityPolicy,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Sends a JSON value to the script of a page. */
export function sendJsonValue({ response }: Exchange, status: number, value: object): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, { ...HEADERS, 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}

/**
 * Sends a file of lines for download, as fast as the browser receives it. If reading the lines fails, the connection is
 * closed, so that the browser reports an incomplete file.
 */
export async function sendLines({ response }: Exchange, fileName: string, lines: AsyncIterable<string>): Promise<void> {
  response.writeHead(200, {
    ...HEADERS,
    'content-type': 'application/x-ndjson; charset=utf-8',
    'content-disposition': `attachment; filename="${fileName}"`,
  });
  // It is not an error if the browser cancels the download.
  await pipeline(Readable.from(lines), response).catch((error: unknown) => {
    if (!response.destroyed || !isClosed(error)) throw error;
  });
}

function isClosed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** Redirects a browser to a page with a GET, so that a reload does not submit the form again. */
export function redirectTo({ response }: Exchange, location: string): void {
  response.writeHead(303, { ...HEADERS, location, 'content-length': 0 });
  response.end();
}

/**
 * Sends the browser to the next page after it has submitted a form. If the next page is an OAuth page, the response is
 * an intermediate page instead of a redirect. An OAuth page may redirect to another site. The content security policy
 * of the form's page applies to a whole chain of redirects, so it would block a redirect to that site.
 */
export function continueTo(exchange: Exchange, location: string): void {
  if (!location.startsWith('/oauth/')) {
    redirectTo(exchange, location);
    return;
  }
  exchange.response.setHeader('refresh', `0; url=${location}`);
  const body = html`<section class="card"><h1>You are signed in</h1><p><a href="${location}">Continue</a></p></section>`;
  sendPage(exchange, 200, documentOf({ title: 'You are signed in', body }));
}

/** Returns the fields of a form. A body that is too large or of another type is read as an empty form. */
export async function readForm({ request }: Exchange): Promise<URLSearchParams> {
  const isForm = /^application\/x-www-form-urlencoded(;|$)/i.test(request.headers['content-type'] ?? '');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= MAX_FORM_BYTES) chunks.push(chunk);
  }
  return new URLSearchParams(isForm && bytes <= MAX_FORM_BYTES ? Buffer.concat(chunks).toString() : '');
}
