import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '@tocsin/runtime';
import fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addErrorHandlers } from '../src/plugins/errors.ts';
import { addOutagePages } from '../src/routes/outage-page-proxy.ts';

const stack = new AsyncDisposableStack();
const seen: { method: string; url: string; headers: IncomingHttpHeaders; body: string }[] = [];
const app = fastify();
beforeAll(async () => {
  const notifier = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    seen.push({ method, url, headers, body: await text(request) });
    if (method === 'POST') response.writeHead(303, { location: url }).end();
    else response.writeHead(200, { 'content-type': 'text/html', 'x-robots-tag': 'noindex' }).end('<h1>Down</h1>');
  });
  const port = await listen(notifier, '127.0.0.1', 0);
  stack.defer(() => void notifier.close());
  stack.use(app);
  addErrorHandlers(app);
  stack.use(await addOutagePages(app, `http://127.0.0.1:${port}`));
});
afterAll(() => stack.disposeAsync());

test("the gateway returns the notifier's outage page, with a header that forbids search engines from indexing it", async () => {
  const response = await app.inject('/o/t1');
  expect(response).toMatchObject({ statusCode: 200, body: '<h1>Down</h1>', headers: { 'x-robots-tag': 'noindex' } });
  expect(seen.at(-1)).toMatchObject({ method: 'GET', url: '/o/t1' });
});

test('a form is forwarded to the notifier unchanged', async () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const response = await app.inject({ method: 'POST', url: '/o/t1', headers: form, payload: 'name=J%C3%A4ne' });
  expect(response).toMatchObject({ statusCode: 303, headers: { location: '/o/t1' } });
  expect(seen.at(-1)).toMatchObject({ method: 'POST', headers: form, body: 'name=J%C3%A4ne' });
});

test('an email program unsubscribes with a multipart form', async () => {
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  const payload = '--x\r\ncontent-disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n';
  const response = await app.inject({ method: 'POST', url: '/m/t1', headers, payload });
  expect(response.statusCode).toBe(303);
  expect(seen.at(-1)).toMatchObject({ method: 'POST', url: '/m/t1', headers, body: payload });
});

test.each([
  [4_096, 303],
  [4_097, 413],
])('a form of %i bytes gets the status %i', async (bytes, status) => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const response = await app.inject({ method: 'POST', url: '/o/t1', headers, payload: 'x'.repeat(bytes) });
  expect(response.statusCode).toBe(status);
});

test('a body other than a form is refused', async () => {
  const before = seen.length;
  expect((await app.inject({ method: 'POST', url: '/o/t1', payload: { name: 'Jane' } })).statusCode).toBe(415);
  expect(seen).toHaveLength(before);
});
