import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { BlockedAddressError, createNetguard, OutboundTimeoutError, parseAllowedTargets } from '../src/index.ts';
import { listen, serveHttp } from './servers.ts';

const guard = createNetguard({
  allow: parseAllowedTargets('127.0.0.1'),
  resolve: async (name) => [{ address: name === 'open.test' ? '127.0.0.1' : '127.0.0.2', family: 4 }],
});

test('the request is sent unchanged, and the response is returned', async () => {
  const base = await serveHttp('127.0.0.1', async (request, response) => {
    const { method, url, headers } = request;
    response.setHeader('set-cookie', ['a=1', 'b=2']).writeHead(201);
    response.end(
      JSON.stringify({ method, url, host: headers.host, type: headers['content-type'], body: await text(request) }),
    );
  });
  const url = base.replace('127.0.0.1', 'open.test');
  const response = await guard.fetch(`${url}/hooks/1?x=%20y`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"text":"Glocke läutet"}',
  });
  expect(response).toMatchObject({ status: 201, truncated: false });
  expect(response.headers['set-cookie']).toBe('a=1, b=2');
  expect(JSON.parse(response.body)).toEqual({
    method: 'POST',
    url: '/hooks/1?x=%20y',
    host: new URL(url).host,
    type: 'application/json',
    body: '{"text":"Glocke läutet"}',
  });
});

test.each([
  'http://127.0.0.2/',
  'http://closed.test/',
  'https://127.0.0.2/',
  'http://[::ffff:127.0.0.2]/',
  'http://2130706434/',
])('no connection is opened for the URL %s', async (url) => {
  await expect(guard.fetch(url)).rejects.toThrow(BlockedAddressError);
});

test.each(['127.0.0.2', 'closed.test', '[::1]', '0x7f000002', '169.254.169.254'])(
  'a redirect from an allowed host to the private host %s is not followed',
  async (host) => {
    let reached = false;
    const inside = await serveHttp('127.0.0.2', (_request, response) => {
      reached = true;
      response.end('secret');
    });
    const location = `http://${host}:${new URL(inside).port}/latest/meta-data`;
    const base = await serveHttp('127.0.0.1', (_request, response) => response.writeHead(302, { location }).end());
    await expect(guard.fetch(base)).rejects.toThrow(BlockedAddressError);
    expect(reached).toBe(false);
  },
);

test('a redirect of a POST request is returned as the response', async () => {
  const paths: (string | undefined)[] = [];
  const base = await serveHttp('127.0.0.1', (request, response) => {
    paths.push(request.url);
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  const response = await guard.fetch(`${base}/hook`, { method: 'POST', body: '{}' });
  expect(response).toMatchObject({ status: 307, headers: { location: '/elsewhere' } });
  expect(paths).toEqual(['/hook']);
});

test('the redirect after the maximum number of redirects is returned as the response', async () => {
  let requests = 0;
  const base = await serveHttp('127.0.0.1', (_request, response) => {
    requests++;
    response.writeHead(302, { location: `/hop/${requests}` }).end();
  });
  const response = await guard.fetch(base, { maxRedirects: 3 });
  expect(response).toMatchObject({ status: 302, headers: { location: '/hop/4' } });
  expect(requests).toBe(4);
});

test('credentials are sent only to the origin of the request', async () => {
  const other = await serveHttp('127.0.0.1', (request, response) => response.end(JSON.stringify(request.headers)));
  const base = await serveHttp('127.0.0.1', (_request, response) => response.writeHead(302, { location: other }).end());
  const headers = { Authorization: 'Bearer key', 'X-Token': 'token', Accept: 'text/plain' };
  const received = JSON.parse((await guard.fetch(base, { headers })).body);
  expect(received).toMatchObject({ accept: 'text/plain', host: new URL(other).host });
  expect(received).not.toHaveProperty('authorization');
  expect(received).not.toHaveProperty('x-token');
});

test('a long body is truncated at the limit, without splitting a character', async () => {
  const base = await serveHttp('127.0.0.1', (_request, response) =>
    response.on('error', () => {}).end('ä'.repeat(500_000)),
  );
  const response = await guard.fetch(base, { maxResponseBytes: 1001 });
  expect(response).toMatchObject({ status: 200, truncated: true, body: 'ä'.repeat(500) });
});

test('an endless body is not read to its end', async () => {
  const base = await serveHttp('127.0.0.1', (_request, response) => {
    response.write('x'.repeat(2000));
  });
  expect(await guard.fetch(base, { maxResponseBytes: 1000 })).toMatchObject({
    truncated: true,
    body: 'x'.repeat(1000),
  });
});

test('a body whose size equals the limit is complete', async () => {
  const base = await serveHttp('127.0.0.1', (_request, response) => response.end('x'.repeat(1000)));
  expect(await guard.fetch(base, { maxResponseBytes: 1000 })).toMatchObject({
    truncated: false,
    body: 'x'.repeat(1000),
  });
});

test('a peer that never responds causes a timeout that does not reveal the path', async () => {
  const port = await listen(
    createServer((socket) => socket.resume().on('error', () => {})),
    '127.0.0.1',
  );
  const error = await guard
    .fetch(`http://127.0.0.1:${port}/hook/token`, { timeoutMs: 50 })
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(OutboundTimeoutError);
  expect(String(error)).toContain(`http://127.0.0.1:${port} did not answer within 50 ms`);
  expect(JSON.stringify(error) + String(error)).not.toContain('token');
});

test('a body that arrives too slowly is aborted at the deadline', async () => {
  const base = await serveHttp('127.0.0.1', (_request, response) => {
    response.write('a little');
  });
  await expect(guard.fetch(base, { timeoutMs: 50 })).rejects.toThrow(OutboundTimeoutError);
});

test("the caller's signal aborts the request with the signal's reason", async () => {
  const caller = new AbortController();
  const base = await serveHttp('127.0.0.1', () => caller.abort(new Error('shutting down')));
  await expect(guard.fetch(base, { signal: caller.signal })).rejects.toThrow('shutting down');
});

test.each([
  ['not a url/token', 'the URL cannot be read'],
  ['file:///etc/token', 'must start with https: or http:, not file:'],
  ['http://user:token@open.test/', 'must not carry credentials'],
])('the URL %s is rejected with an error that does not contain its secrets', async (url, reason) => {
  const error = await guard.fetch(url).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(TypeError);
  expect(String(error)).toContain(reason);
  expect(JSON.stringify(error) + String(error)).not.toContain('token');
});

test.each([
  ['never ends', (response: ServerResponse) => response.write('ok')],
  ['breaks off', (response: ServerResponse) => response.write('ok', () => response.destroy())],
])('with a body timeout, a body that %s is cut and causes no error', async (_, respond) => {
  const base = await serveHttp('127.0.0.1', (_request, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    respond(response);
  });
  const response = await guard.fetch(base, { timeoutMs: 5_000, bodyTimeoutMs: 200 });
  expect(response).toMatchObject({ status: 200, truncated: true, body: 'ok' });
  await expect(guard.fetch(base, { timeoutMs: 300 })).rejects.toThrow();
});

test('a response that does not begin within the timeout is an error, even if the body timeout is longer', async () => {
  const base = await serveHttp('127.0.0.1', () => undefined);
  const options = { timeoutMs: 200, bodyTimeoutMs: 5_000 };
  await expect(guard.fetch(base, options)).rejects.toThrow(OutboundTimeoutError);
});

test('a request that cannot connect within connectTimeoutMs fails before timeoutMs', async () => {
  const server = createServer();
  const port = await listen(server, '127.0.0.1');
  // The server accepts connections but never begins a TLS handshake.
  const startedAt = performance.now();
  const options = { timeoutMs: 20_000, connectTimeoutMs: 200 };
  await expect(guard.fetch(`https://127.0.0.1:${port}/`, options)).rejects.toThrow('did not answer within 200 ms');
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

describe('requests with keepAlive', () => {
  const options = { method: 'POST', body: '{}', keepAlive: true };

  test('successive requests share one connection, and a request without keepAlive does not use it', async () => {
    const ports = new Set<number | undefined>();
    const base = await serveHttp('127.0.0.1', (request, response) => {
      ports.add(request.socket.remotePort);
      response.end('ok');
    });
    for (let n = 0; n < 3; n += 1) expect(await guard.fetch(base, options)).toMatchObject({ status: 200, body: 'ok' });
    expect(ports.size).toBe(1);
    await guard.fetch(base, { ...options, keepAlive: false });
    expect(ports.size).toBe(2);
  });

  test('concurrent requests have separate connections', async () => {
    const ports = new Set<number | undefined>();
    const both = Promise.withResolvers<void>();
    const base = await serveHttp('127.0.0.1', async (request, response) => {
      ports.add(request.socket.remotePort);
      if (ports.size === 2) both.resolve();
      await both.promise;
      response.end();
    });
    await Promise.all([guard.fetch(base, options), guard.fetch(base, options)]);
    expect(ports.size).toBe(2);
  });

  test('a guard does not use the connections of a guard that allows more addresses', async () => {
    const base = await serveHttp('127.0.0.1', (_request, response) => response.end());
    await guard.fetch(base, options);
    const strict = createNetguard({ allow: parseAllowedTargets('') });
    await expect(strict.fetch(base, options)).rejects.toThrow(BlockedAddressError);
  });

  test('the address of each new connection is vetted', async () => {
    let address = '127.0.0.1';
    const moving = createNetguard({
      allow: parseAllowedTargets('127.0.0.1'),
      resolve: async () => [{ address, family: 4 }],
    });
    const base = await serveHttp('127.0.0.1', (_request, response) => response.setHeader('connection', 'close').end());
    const url = base.replace('127.0.0.1', 'moving.test');
    await moving.fetch(url, options);
    address = '127.0.0.2';
    await expect(moving.fetch(url, options)).rejects.toThrow(BlockedAddressError);
  });

  test.each(['is idle', 'gets a request'])(
    'a request succeeds on a new connection if the receiver closes the reused connection while it %s',
    async (moment) => {
      let requests = 0;
      const closed = Promise.withResolvers<void>();
      const base = await serveHttp('127.0.0.1', (request, response) => {
        requests += 1;
        request.socket.once('close', () => closed.resolve());
        if (moment === 'gets a request' && requests === 2) return void request.socket.destroy();
        response.end('ok', () => {
          if (moment === 'is idle' && requests === 1) setImmediate(() => request.socket.destroy());
        });
      });
      await guard.fetch(base, options);
      if (moment === 'is idle') await closed.promise;
      expect(await guard.fetch(base, options)).toMatchObject({ status: 200, body: 'ok' });
      expect(requests).toBe(moment === 'is idle' ? 2 : 3);
    },
  );

  test('a request fails at once if the receiver closes its new connection', async () => {
    let requests = 0;
    const base = await serveHttp('127.0.0.1', (request) => {
      requests += 1;
      request.socket.destroy();
    });
    await expect(guard.fetch(base, options)).rejects.toThrow();
    expect(requests).toBe(1);
  });

  test('a connection is not reused after its body was cut', async () => {
    const ports = new Set<number | undefined>();
    const base = await serveHttp('127.0.0.1', (request, response) => {
      ports.add(request.socket.remotePort);
      response.on('error', () => {}).end('x'.repeat(100_000));
    });
    for (let n = 0; n < 2; n += 1) await guard.fetch(base, { ...options, maxResponseBytes: 10 });
    expect(ports.size).toBe(2);
  });
});

test('a body that is decoded as Latin-1 has one character for each byte', async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const base = await serveHttp('127.0.0.1', (_request, response) => response.end(bytes));
  const { body } = await guard.fetch(base, { bodyEncoding: 'latin1' });
  expect(Buffer.from(body, 'latin1').equals(bytes)).toBe(true);
  const cut = await guard.fetch(base, { bodyEncoding: 'latin1', maxResponseBytes: 200 });
  expect([cut.body.length, cut.truncated]).toEqual([200, true]);
});
