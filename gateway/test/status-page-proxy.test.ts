import { createServer } from 'node:http';
import { listen } from '@tocsin/runtime';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { addErrorHandlers } from '../src/plugins/errors.ts';
import { addPages } from '../src/routes/status-page-proxy.ts';

test('the page for an unavailable service has a Retry-After header and reveals no internals', async () => {
  await using stack = new AsyncDisposableStack();
  const pages = createServer((_request, response) => {
    response.writeHead(503, { 'retry-after': '10', 'content-type': 'text/html', 'x-inside': 'pod-7' });
    response.end('<h1>Away</h1>');
  });
  const port = await listen(pages, '127.0.0.1', 0);
  stack.defer(() => void pages.close());
  const app = stack.use(fastify());
  addErrorHandlers(app);
  stack.use(addPages(app, `http://127.0.0.1:${port}`));

  const response = await app.inject('/s/acme');
  expect(response).toMatchObject({ statusCode: 503, body: '<h1>Away</h1>', headers: { 'retry-after': '10' } });
  expect(response.headers).not.toHaveProperty('x-inside');
});

test('while the service does not respond, a browser gets a page', async () => {
  await using stack = new AsyncDisposableStack();
  const app = stack.use(fastify());
  addErrorHandlers(app);
  stack.use(addPages(app, 'http://127.0.0.1:1'));
  for (const path of ['/', '/s', '/s/', '/s/acme']) {
    const response = await app.inject(path);
    expect(response).toMatchObject({ statusCode: 503, headers: { 'retry-after': '5', 'cache-control': 'no-store' } });
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(response.body).toContain('This page is temporarily unavailable');
    expect(response.body).not.toContain('127.0.0.1');
  }
});
