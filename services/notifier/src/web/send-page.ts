import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Document } from './outage-shell.ts';

/** Maximum size of a form, in bytes. A larger form is read as an empty form. */
const MAX_FORM_BYTES = 4_096;

/**
 * Headers that prevent caches and search engines from storing a page, and linked sites from seeing its secret address.
 */
const HEADERS = {
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow, noarchive',
};

/** A request for a page, and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
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

/** Redirects a browser from a POST to the GET of a page, so that a reload does not post again. */
export function redirectTo({ response }: Exchange, location: string): void {
  response.writeHead(303, { ...HEADERS, location, 'content-length': 0 });
  response.end();
}

export function refuseMethod({ response }: Exchange): void {
  response.writeHead(405, { allow: 'GET, HEAD, POST', 'content-length': 0 });
  response.end();
}

export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= MAX_FORM_BYTES) chunks.push(chunk);
  }
  return new URLSearchParams(bytes <= MAX_FORM_BYTES ? Buffer.concat(chunks).toString() : '');
}
