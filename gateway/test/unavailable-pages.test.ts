import { createServer } from 'node:http';
import { listen } from '@tocsin/runtime';
import fastify from 'fastify';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { addPages } from '../src/pages/add-pages.ts';
import { connectPageSource } from '../src/pages/fetch-page.ts';
import { LiveVisitors } from '../src/pages/live-visitors.ts';
import { PageCache } from '../src/pages/page-cache.ts';
import { PageHosts } from '../src/pages/page-hosts.ts';
import { RecentAnswers } from '../src/pages/recent-answers.ts';
import { AddressWindows } from '../src/plugins/address-windows.ts';
import { addErrorHandlers } from '../src/plugins/errors.ts';
import { UnsentResponses } from '../src/plugins/unsent-responses.ts';

async function start(statuspageUrl: string) {
  await using stack = new AsyncDisposableStack();
  const { fetch } = stack.use(connectPageSource(statuspageUrl, () => {}));
  const app = stack.use(fastify());
  addErrorHandlers(app);
  const cache = new PageCache({ fetch, now: Date.now, retryDelay: () => 0, maxBytes: 1_000_000, maxAgeMs: 60_000 });
  const answers = new RecentAnswers({ ask: async () => false, now: Date.now });
  const hosts = new PageHosts({ installationHost: 'localhost', answers });
  addPages(
    app,
    { cache, hosts, visitors: stack.use(new LiveVisitors(1)) },
    { statuspageUrl, misses: new AddressWindows(0), unsent: new UnsentResponses(new Registry()) },
  );
  const started = stack.move();
  return { inject: app.inject.bind(app), [Symbol.asyncDispose]: () => started.disposeAsync() };
}

test('the page for an unavailable service has a Retry-After header and reveals no internals', async () => {
  await using stack = new AsyncDisposableStack();
  const pages = createServer((_request, response) => {
    response.writeHead(503, { 'retry-after': '10', 'content-type': 'text/html', 'x-inside': 'pod-7' });
    response.end('<h1>Away</h1>');
  });
  const port = await listen(pages, '127.0.0.1', 0);
  stack.defer(() => void pages.close());
  const app = stack.use(await start(`http://127.0.0.1:${port}`));

  const response = await app.inject('/s/acme');
  expect(response).toMatchObject({ statusCode: 503, body: '<h1>Away</h1>', headers: { 'retry-after': '10' } });
  expect(response.headers).not.toHaveProperty('x-inside');
});

test('while the service does not respond, a browser gets an error page', async () => {
  await using app = await start('http://127.0.0.1:1');
  for (const path of ['/', '/s', '/s/', '/s/acme']) {
    const response = await app.inject(path);
    expect(response).toMatchObject({ statusCode: 503, headers: { 'retry-after': '5', 'cache-control': 'no-store' } });
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(response.body).toContain('This page is temporarily unavailable');
    expect(response.body).not.toContain('127.0.0.1');
  }
});
