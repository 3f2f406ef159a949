import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer as createTcpServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { listen } from '@tocsin/runtime';
import { freePort, keptByYoungCollections } from '@tocsin/testing';
import { createAuthority } from '@tocsin/testing/certificates';
import { afterAll, expect, test } from 'vitest';
import { httpProbe } from '../src/probes/http/http-probe.ts';
import { dialling } from './dialling.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

const probe = httpProbe(dialling());

function check(config: object, timeoutMs = 2_000) {
  return probe(JSON.stringify(config), timeoutMs, new Map());
}

async function serve(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  const port = await listen(server, '127.0.0.1', 0);
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${port}`;
}

test('if the target responds, the check passes and has a duration for each phase', async () => {
  const url = await serve((_request, response) => response.end('hello'));
  const seen = await check({ url });
  expect(seen).toMatchObject({ outcome: 'pass', error: '', statusCode: 200 });
  expect(seen.phases.total).toBeGreaterThan(0);
  for (const phase of ['dns', 'connect', 'firstByte'] as const) expect(seen.phases[phase]).toBeGreaterThanOrEqual(0);
});

test('each request has the configured fields and the user agent of the checker, and uses a new connection', async () => {
  const sockets = new Set<unknown>();
  const seen: unknown[] = [];
  const url = await serve(async (request, response) => {
    sockets.add(request.socket);
    const body = (await request.toArray()).join('');
    seen.push([request.method, request.headers['x-probe'], request.headers['user-agent'], body]);
    response.end();
  });
  const config = { url, method: 'POST', headers: { 'X-Probe': 'yes' }, body: '{"a":1}' };
  await check(config);
  await check(config);
  expect(seen[0]).toEqual(['POST', 'yes', expect.stringMatching(/^Tocsin/), '{"a":1}']);
  expect(sockets.size).toBe(2);
});

test('the bytes of a request are those of the config, with a host, a length and the end of the connection', async () => {
  const requests: string[] = [];
  const server = createTcpServer((socket) =>
    socket.once('data', (bytes) => {
      requests.push(String(bytes));
      socket.end('HTTP/1.1 204 No Content\r\n\r\n');
    }),
  );
  const port = await listen(server, '127.0.0.1', 0);
  stack.defer(() => void server.close());
  const url = `http://127.0.0.1:${port}/a b?c=d#e`;
  await check({ url });
  await check({ url, method: 'POST' });
  await check({ url, method: 'PUT', body: '{"ä":1}', headers: { Host: 'shop.example', 'X-Probe': 'é' } });
  const own = [expect.stringMatching(/^user-agent: Tocsin/), 'accept: */*', 'accept-encoding: gzip, deflate, br, zstd'];
  expect(requests.map((request) => request.split('\r\n'))).toEqual([
    ['GET /a%20b?c=d HTTP/1.1', `host: 127.0.0.1:${port}`, ...own, 'connection: close', '', ''],
    ['POST /a%20b?c=d HTTP/1.1', `host: 127.0.0.1:${port}`, ...own, 'content-length: 0', 'connection: close', '', ''],
    [
      'PUT /a%20b?c=d HTTP/1.1',
      'host: shop.example',
      ...own,
      // A byte that is not UTF-8: headers are Latin-1.
      'x-probe: \ufffd',
      'content-length: 8',
      'connection: close',
      '',
      '{"ä":1}',
    ],
  ]);
});

test.each([
  [502, {}, 'status 502, expected 200 to 399'],
  [200, { expected_status_codes: [204] }, 'status 200, expected 204'],
  [418, { expected_status_codes: [200, 204] }, 'status 418, expected 200 or 204'],
])('a response with status %i to a check with the config %j is a failure: %s', async (status, config, error) => {
  const url = await serve((_request, response) => response.writeHead(status).end());
  expect(await check({ url, ...config })).toMatchObject({ outcome: 'fail', error, statusCode: status });
});

test('a keyword that is split over two chunks is found', async () => {
  const url = await serve((_request, response) => {
    response.write('everything is gr');
    setTimeout(() => response.end('een today'), 20);
  });
  expect(await check({ url, expected_keyword: 'green' })).toMatchObject({ outcome: 'pass' });
  expect(await check({ url, expected_keyword: 'blue' })).toMatchObject({
    outcome: 'fail',
    error: 'keyword "blue" is not in the body',
  });
  expect(await check({ url, unexpected_keyword: 'green' })).toMatchObject({
    outcome: 'fail',
    error: 'keyword "green" is in the body',
  });
});

test('a response that is cut off after the expected keyword is an error', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': 500 }).write('everything is green');
    setTimeout(() => response.destroy(), 20);
  });
  expect(await check({ url, expected_keyword: 'green' })).toMatchObject({
    outcome: 'error',
    error: expect.stringMatching(/^connection closed by .* in the middle of the response$/),
  });
});

test('an endless body is read up to a limit', async () => {
  let sent = 0;
  const url = await serve((_request, response) => {
    const pour = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x'))) sent += 65_536;
    };
    response.on('drain', pour);
    pour();
  });
  const seen = await check({ url, expected_keyword: 'needle' });
  expect(seen).toMatchObject({
    outcome: 'fail',
    error: 'keyword "needle" is not in the first part of the body that was searched',
  });
  expect(sent).toBeLessThan(32 * 1024 * 1024);
});

test('if a target accepts the connection but never responds, the check times out with an error that names the phase', async () => {
  const server = createTcpServer(() => {});
  const port = await listen(server, '127.0.0.1', 0);
  stack.defer(() => void server.close());
  expect(await check({ url: `http://127.0.0.1:${port}/` }, 1_000)).toMatchObject({
    outcome: 'timeout',
    error: 'no response within 1000 ms, connected, still waiting for the first byte',
  });
});

test('if the target sends the body too slowly, the check times out with an error that names the body', async () => {
  const url = await serve((_request, response) => {
    response.write('drip');
    const drip = setInterval(() => response.write('drip'), 50);
    response.once('close', () => clearInterval(drip));
  });
  expect(await check({ url }, 1_000)).toMatchObject({
    outcome: 'timeout',
    error: 'no response within 1000 ms, still receiving the body',
  });
});

test('the error for a port without a listener names the port', async () => {
  const port = await freePort();
  expect(await check({ url: `http://127.0.0.1:${port}/` })).toMatchObject({
    outcome: 'error',
    error: `connection refused by 127.0.0.1:${port}`,
  });
});

test('if the connection is closed before the response, the error names the cause', async () => {
  const server = createTcpServer((socket) => void socket.destroy());
  const port = await listen(server, '127.0.0.1', 0);
  stack.defer(() => void server.close());
  const { outcome, error } = await check({ url: `http://127.0.0.1:${port}/` });
  expect(outcome).toBe('error');
  expect(error).toMatch(/^connection (closed|reset) by 127\.0\.0\.1/);
});

test('the error for a server that does not use HTTP names the cause', async () => {
  const server = createTcpServer((socket) => void socket.end('220 mail.example.com ESMTP\r\n'));
  const port = await listen(server, '127.0.0.1', 0);
  stack.defer(() => void server.close());
  const { outcome, error } = await check({ url: `http://127.0.0.1:${port}/` });
  expect({ outcome, error }).toEqual({ outcome: 'error', error: expect.stringContaining('does not speak HTTP') });
});

test('a response after the configured maximum time is a failure', async () => {
  const url = await serve((_request, response) => setTimeout(() => response.end(), 120));
  const { outcome, error } = await check({ url, max_response_time_ms: 50 });
  expect(outcome).toBe('fail');
  expect(error).toMatch(/^responded after \d+ ms, expected at most 50 ms$/);
});

test('a target is reached over IPv6', async () => {
  const hosts: unknown[] = [];
  const server = createServer((request, response) => {
    hosts.push(request.headers.host);
    response.end();
  });
  const port = await listen(server, '::1', 0);
  stack.defer(() => void server.close());
  expect(await check({ url: `http://[::1]:${port}/` })).toMatchObject({ outcome: 'pass' });
  expect(hosts).toEqual([`[::1]:${port}`]);
});

test('a target that speaks only HTTP/2 receives all configured request fields', async () => {
  const authority = await createAuthority('Test Root');
  const { key, cert } = await authority.issue({ names: [], addresses: ['127.0.0.1'] });
  const seen: unknown[] = [];
  const server = createSecureServer({ key, cert, allowHTTP1: false });
  server.on('stream', async (stream, headers) => {
    const body = (await stream.toArray()).join('');
    seen.push([headers[':method'], headers[':path'], headers[':authority'], headers['x-probe'], body]);
    stream.respond({ ':status': 201, 'content-encoding': 'gzip' });
    stream.end(gzipSync('all is well'));
  });
  const port = await listen(server, '127.0.0.1', 0);
  stack.defer(() => void server.close());
  const config = {
    url: `https://127.0.0.1:${port}/a?b=c`,
    method: 'POST',
    // Connection-specific headers don't exist in HTTP/2 and are left out.
    headers: { 'X-Probe': 'yes', Connection: 'close', Host: 'shop.example' },
    body: '{"a":1}',
    expected_keyword: 'is well',
  };
  const probeHttps = httpProbe(dialling({ ca: authority.cert }));
  expect(await probeHttps(JSON.stringify(config), 2_000, new Map())).toMatchObject({
    outcome: 'pass',
    error: '',
    statusCode: 201,
    phases: { tls: expect.any(Number), firstByte: expect.any(Number) },
  });
  expect(seen).toEqual([['POST', '/a?b=c', 'shop.example', 'yes', '{"a":1}']]);
});

test('a check that asks for an upgrade uses HTTP/1.1 at a target that also speaks HTTP/2', async () => {
  const authority = await createAuthority('Test Root');
  const { key, cert } = await authority.issue({ names: [], addresses: ['127.0.0.1'] });
  const server = createSecureServer({ key, cert, allowHTTP1: true });
  server.on('upgrade', (_request, socket) =>
    socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
  );
  const port = await listen(server, '127.0.0.1', 0);
  stack.defer(() => void server.close());
  const config = {
    url: `https://127.0.0.1:${port}/`,
    headers: { Upgrade: 'websocket', Connection: 'Upgrade', 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' },
    expected_status_codes: [101],
  };
  const probeHttps = httpProbe(dialling({ ca: authority.cert }));
  expect(await probeHttps(JSON.stringify(config), 2_000, new Map())).toMatchObject({ outcome: 'pass', error: '' });
});

test('a keyword is found after a megabyte that arrives in TLS records of 100 bytes', async () => {
  const authority = await createAuthority('Test Root');
  const { key, cert } = await authority.issue({ names: [], addresses: ['127.0.0.1'] });
  const server = createTlsServer({ key, cert }, (socket) => {
    let records = 10_000;
    const next = () => {
      records -= 1;
      if (records > 0) socket.write('x'.repeat(100), next);
      else socket.end('needle');
    };
    socket.on('error', () => {});
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\n', next));
  });
  const port = await listen(server, '127.0.0.1', 0);
  stack.defer(() => void server.close());
  const config = { url: `https://127.0.0.1:${port}/`, expected_keyword: 'needle' };
  const probeHttps = httpProbe(dialling({ ca: authority.cert }));
  expect(await probeHttps(JSON.stringify(config), 10_000, new Map())).toMatchObject({ outcome: 'pass', error: '' });
});

test('a keyword is found in the body with each accepted content encoding', async () => {
  const encoders = [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['GZIP, identity', gzipSync],
    ['none', (text: string) => text],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const;
  const asked: unknown[] = [];
  for (const [encoding, encode] of encoders) {
    const url = await serve((request, response) => {
      asked.push(request.headers['accept-encoding']);
      response.writeHead(200, { 'content-encoding': encoding }).end(encode('everything is green'));
    });
    expect(await check({ url, expected_keyword: 'green' })).toMatchObject({ outcome: 'pass', error: '' });
  }
  expect(new Set(asked)).toEqual(new Set(['gzip, deflate, br, zstd']));
});

test('a keyword at the end of the first 2 MiB of a longer, incompressible body is found', async () => {
  const body = randomBytes(4 * 1024 * 1024);
  body.write('needle', 2 * 1024 * 1024 - 10);
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(body));
  });
  expect(await check({ url, expected_keyword: 'needle' })).toMatchObject({ outcome: 'pass', error: '' });
});

test.each(['gzip', 'deflate', 'br', 'zstd'])('a HEAD check with the content encoding %s passes', async (encoding) => {
  const url = await serve((_request, response) => response.writeHead(200, { 'content-encoding': encoding }).end());
  const config = { url, method: 'HEAD', unexpected_keyword: 'broken' };
  expect(await check(config)).toMatchObject({ outcome: 'pass', error: '' });
});

test('redirects are followed, and configured headers are sent only to the first origin', async () => {
  const seen: unknown[] = [];
  const other = await serve((request, response) => {
    seen.push([request.method, request.headers['x-secret']]);
    response.end('there');
  });
  const url = await serve((_request, response) => response.writeHead(303, { location: `${other}/x` }).end());
  const config = { url, method: 'POST', body: 'x', headers: { 'X-Secret': 'canary' }, expected_keyword: 'there' };
  expect(await check(config)).toMatchObject({ outcome: 'pass', statusCode: 200 });
  expect(seen).toEqual([['GET', undefined]]);
  expect(await check({ ...config, follow_redirects: false, expected_keyword: '' })).toMatchObject({
    outcome: 'pass',
    statusCode: 303,
  });
});

test('a redirect that would carry the body to another origin is not followed', async () => {
  const asked: unknown[] = [];
  const other = await serve((request, response) => {
    asked.push(request.url);
    response.end();
  });
  const url = await serve((_request, response) => response.writeHead(307, { location: other }).end());
  expect(await check({ url, method: 'POST', body: 'canary' })).toMatchObject({
    outcome: 'fail',
    error: 'status 307 redirects to another origin, to which the body is not sent',
  });
  expect(asked).toEqual([]);
});

test('a redirect loop ends after ten redirects', async () => {
  let hops = 0;
  const url = await serve((_request, response) => {
    hops += 1;
    response.writeHead(302, { location: '/again' }).end();
  });
  expect(await check({ url })).toMatchObject({ outcome: 'fail', error: 'more than 10 redirects' });
  expect(hops).toBe(11);
});

test.each([
  'http://169.254.169.254/latest/meta-data/',
  'http://10.0.0.1/',
  'http://[::ffff:192.168.0.1]/',
  'http://2130706433.example.invalid.:1/',
])('a check of the URL %s, which has no public address, fails', async (url) => {
  expect(await check({ url })).toMatchObject({
    outcome: 'error',
    error: expect.stringMatching(/not a public address|does not exist|did not answer/),
  });
});

test('a redirect to a private address is not followed', async () => {
  const url = await serve((_request, response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
  );
  expect(await check({ url })).toMatchObject({
    outcome: 'error',
    error: expect.stringContaining('169.254.169.254 is not a public address'),
  });
});

test('targets that never respond do not slow down the check of a working target', async () => {
  const silent = createTcpServer(() => {});
  const port = await listen(silent, '127.0.0.1', 0);
  stack.defer(() => void silent.close());
  const url = await serve((_request, response) => response.end());
  const hanging = Array.from({ length: 50 }, () => check({ url: `http://127.0.0.1:${port}/` }, 1_500));
  expect(await check({ url }, 1_000)).toMatchObject({ outcome: 'pass' });
  expect((await Promise.all(hanging)).map(({ outcome }) => outcome)).toEqual(Array(50).fill('timeout'));
});

test('a collection of the young generation frees checks that have ended', async () => {
  const bytes = 30_000;
  const url = await serve((_request, response) => response.writeHead(200, { 'x-long': 'x'.repeat(bytes) }).end());
  const run = async (count: number) => {
    for (let i = 0; i < count; i += 1) expect(await check({ url })).toMatchObject({ outcome: 'pass' });
  };
  await run(20);
  expect(await keptByYoungCollections(() => run(100))).toBeLessThan(50 * bytes);
});
