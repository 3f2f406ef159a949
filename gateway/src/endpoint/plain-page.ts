import { html } from '@tocsin/html';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Sends a page with a heading and a sentence as the error response to a browser. */
export function sendPlainPage(reply: FastifyReply, status: number, title: string, text: string): FastifyReply {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>${title}</title>
</head>
<body>
<h1>${title}</h1>
<p>${text}</p>
</body>
</html>`;
  reply.header('cache-control', 'no-store');
  return reply.code(status).type('text/html; charset=utf-8').send(String(page));
}

/** Returns whether a browser is requesting a page, as opposed to a program's request or a request for an API path. */
export function isBrowser({ method, url, headers }: FastifyRequest): boolean {
  return ['GET', 'HEAD'].includes(method) && !url.startsWith('/api/') && (headers.accept ?? '').includes('text/html');
}
