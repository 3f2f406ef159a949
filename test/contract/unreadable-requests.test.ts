import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GatewayAlone, startGatewayAlone } from './gateway-alone.ts';

let gateway: GatewayAlone;
beforeAll(async () => {
  gateway = await startGatewayAlone({ TOCSIN_REQUEST_TIMEOUT_S: '1' });
});
afterAll(() => gateway?.[Symbol.asyncDispose]());

/** Sends the bytes of a request unchanged, and returns the response. */
async function exchange(request: string): Promise<{ status: number; headers: Headers; body: unknown }> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(request);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => [line.split(': ')[0] ?? '', line.split(': ')[1] ?? '']),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, body: JSON.parse(body) };
}

const close = 'host: tocsin\r\nconnection: close\r\n';

test.each<[string, string, number, string]>([
  ['with text that is not HTTP', 'hello\r\n\r\n', 400, 'bad_request'],
  ['with a broken header', `GET / HTTP/1.1\r\n${close}no colon\r\n\r\n`, 400, 'bad_request'],
  ['without a Host header', 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'bad_request'],
  [
    'with two content lengths',
    `POST / HTTP/1.1\r\n${close}content-length: 1\r\ncontent-length: 2\r\n\r\n`,
    400,
    'bad_request',
  ],
  ['with headers of 20 KB', `GET / HTTP/1.1\r\n${close}x: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
  ['with an unknown method', `FETCH /api/v1/me HTTP/1.1\r\n${close}\r\n`, 405, 'method_not_allowed'],
  [
    'with a method that the path does not support',
    `QUERY /api/v1/me HTTP/1.1\r\n${close}\r\n`,
    405,
    'method_not_allowed',
  ],
  [
    'with an unknown expectation',
    `GET /api/v1/me HTTP/1.1\r\n${close}expect: a miracle\r\n\r\n`,
    417,
    'expectation_failed',
  ],
])('a request %s gets an error in the usual format', async (_, request, status, type) => {
  const response = await exchange(request);
  expect(response).toMatchObject({ status, body: { error: { type, message: expect.any(String) } } });
  expect(response.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  if (status === 405) expect(response.headers.get('allow')).toMatch(/GET/);
});

test.each<[string, number[]]>([
  // A request without a credential is refused before its body is read.
  ['/api/v1/monitors', [401, 408]],
  // A ping is handled before its body arrives. It gets a 503, because no monitor service runs here.
  ['/api/heartbeat/nJ4gqf0Yb6f9RkUuVx2m3c8ZsTtLw1Aa', [408, 503]],
])('the server ends a request to %s if its body arrives too slowly', async (path, statuses) => {
  const startedAt = performance.now();
  const request = `POST ${path} HTTP/1.1\r\n${close}content-type: application/json\r\ncontent-length: 100\r\n\r\n{`;
  const response = await exchange(request);
  expect(statuses).toContain(response.status);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});
