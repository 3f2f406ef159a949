import { once } from 'node:events';
import { get } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import {
  type Address,
  BlockedAddressError,
  createNetguard,
  OutboundTimeoutError,
  parseAllowedTargets,
  pinnedLookup,
} from '../src/index.ts';
import { listen, naming } from './servers.ts';

const ipv4 = (address: string): Address => ({ address, family: 4 });

/** Returns a resolver that returns the given addresses in order and records its queries. */
function answering(...responses: Address[][]) {
  const asked: string[] = [];
  const resolve = async (hostname: string) => responses[asked.push(hostname) - 1] ?? [];
  return { asked, resolve };
}

function guardOpening(ranges: string, resolve = answering().resolve) {
  return createNetguard({ allow: parseAllowedTargets(ranges), resolve });
}

test('a name is resolved once, and the vetted address is dialed', async () => {
  const port = await listen(naming('vetted'), '127.0.0.1');
  await listen(naming('inside'), '127.0.0.2', port);
  const dns = answering([ipv4('127.0.0.1')], [ipv4('127.0.0.2')]);
  const guard = guardOpening('127.0.0.1', dns.resolve);

  expect(await text(await guard.connect({ host: 'rebind.test', port }))).toBe('vetted');
  expect(dns.asked).toEqual(['rebind.test']);
  await expect(guard.connect({ host: 'rebind.test', port })).rejects.toThrow(BlockedAddressError);
  expect(dns.asked).toHaveLength(2);
});

test('only the allowed addresses of a host are dialed', async () => {
  const port = await listen(naming('allowed'), '127.0.0.1');
  await listen(naming('forbidden'), '127.0.0.2', port);
  const response = [ipv4('127.0.0.2'), ipv4('127.0.0.1')];
  const guard = guardOpening('127.0.0.1', answering(response, response).resolve);

  expect(await guard.resolve('mixed.test', 80)).toEqual([ipv4('127.0.0.1')]);
  expect(await text(await guard.connect({ host: 'mixed.test', port }))).toBe('allowed');
});

test('a port in `closedPorts` is blocked on an allowed private address, but not on a public address', async () => {
  const port = await listen(naming('inside'), '127.0.0.1');
  const open = await listen(naming('open'), '127.0.0.1');
  const guard = createNetguard({ allow: parseAllowedTargets('127.0.0.1'), closedPorts: new Set([port, 53]) });

  const refusal = guard.connect({ host: '127.0.0.1', port });
  await expect(refusal).rejects.toThrow(BlockedAddressError);
  await expect(refusal).rejects.toThrow(`port ${port} of 127.0.0.1 is closed to tenants`);
  await expect(guard.fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow(BlockedAddressError);
  expect(await text(await guard.connect({ host: '127.0.0.1', port: open }))).toBe('open');
  expect(await guard.resolve('8.8.8.8', 53)).toEqual([ipv4('8.8.8.8')]);
});

test('if a vetted address refuses the connection, the next vetted address is dialed', async () => {
  const port = await listen(naming('second'), '127.0.0.2');
  const guard = guardOpening('127.0.0.0/8', answering([ipv4('127.0.0.1'), ipv4('127.0.0.2')]).resolve);
  expect(await text(await guard.connect({ host: 'two.test', port }))).toBe('second');
});

test('the error for a host without an allowed address names the host and the setting, but not the resolved address', async () => {
  const guard = guardOpening('', answering([ipv4('10.0.0.7')]).resolve);
  const refusal = await guard.resolve('db.test', 80).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(BlockedAddressError);
  expect(refusal).toMatchObject({ host: 'db.test', address: '10.0.0.7', code: 'ERR_BLOCKED_ADDRESS' });
  expect(String(refusal)).toContain('db.test does not resolve to a public address');
  expect(String(refusal)).not.toContain('10.0.0.7');
  expect(String(refusal)).toContain('TOCSIN_ALLOW_PRIVATE_TARGETS');
});

test.each([
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '１２７.0.0.1',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '::1',
  '[::1]',
  '::ffff:127.0.0.1',
  '[::ffff:7f00:1]',
  '64:ff9b::127.0.0.1',
  'fe80::1%lo',
])('the IP literal %s is vetted without a lookup', async (host) => {
  const port = await listen(naming('inside'), '127.0.0.1');
  const dns = answering();
  const guard = guardOpening('', dns.resolve);
  await expect(guard.connect({ host, port })).rejects.toThrow(BlockedAddressError);
  await expect(guard.fetch(`http://${host.includes('::') ? '[::1]' : host}:${port}/`)).rejects.toThrow(
    BlockedAddressError,
  );
  expect(dns.asked).toEqual([]);
});

test.each(['127.0.0.1', '127.1', '2130706433', '::ffff:127.0.0.1', '[::ffff:7f00:1]'])(
  'the IP literal %s can be dialed if its range is allowed',
  async (host) => {
    const port = await listen(naming('opened'), '127.0.0.1');
    expect(await text(await guardOpening('127.0.0.0/8,::1/128').connect({ host, port }))).toBe('opened');
  },
);

test('invalid addresses from a resolver are rejected', async () => {
  const odd = [ipv4('127.1'), ipv4('localhost'), ipv4('')];
  await expect(guardOpening('127.0.0.0/8', answering(odd).resolve).resolve('odd.test', 80)).rejects.toThrow(
    BlockedAddressError,
  );
});

test('a name without addresses is not found', async () => {
  await expect(guardOpening('').resolve('nothing.test', 80)).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test.each(['', 'a b', 'host/path', 'host:80', 'user@host', '1.2.3.999'])(
  '%j is not accepted as a host',
  async (host) => {
    await expect(guardOpening('').resolve(host, 80)).rejects.toThrow('neither a host name nor an IP address');
  },
);

test('by default, localhost resolves to the loopback address, which is blocked unless it is allowed', async () => {
  await expect(createNetguard({ allow: [] }).resolve('localhost', 80)).rejects.toThrow(BlockedAddressError);
  const opened = await createNetguard({ allow: 'all' }).resolve('localhost', 80);
  expect(opened.map(({ address }) => address)).toContain('127.0.0.1');
});

test('lookup returns only vetted addresses, with and without the option `all`', async () => {
  const port = await listen(naming('vetted'), '127.0.0.1');
  const response = [ipv4('127.0.0.2'), ipv4('127.0.0.1')];
  const { lookup } = guardOpening('127.0.0.1', answering(response, response).resolve);
  for (const autoSelectFamily of [true, false]) {
    expect(await text(connect({ host: 'name.test', port, lookup, autoSelectFamily }))).toBe('vetted');
  }
});

test('lookup rejects a forbidden address', async () => {
  const { lookup } = guardOpening('', answering([ipv4('127.0.0.1')]).resolve);
  const [error] = await once(get({ host: 'inside.test', lookup, agent: false }), 'error');
  expect(error).toBeInstanceOf(BlockedAddressError);
});

test('lookup reports that a name has no address of the requested family', async () => {
  const { lookup } = guardOpening('127.0.0.1', answering([ipv4('127.0.0.1')]).resolve);
  const socket = connect({ host: 'name.test', port: 1, family: 6, lookup });
  const [error] = await once(socket, 'error');
  expect(error).toMatchObject({ code: 'ENOTFOUND', message: 'name.test has no IPv6 address' });
});

test('with pinnedLookup, a socket connects to the given address and still emits the event `lookup`', async () => {
  const port = await listen(naming('pinned'), '127.0.0.1');
  const socket = connect({ host: 'never-asked.test', port, lookup: pinnedLookup([ipv4('127.0.0.1')]) });
  const [, address] = await once(socket, 'lookup');
  expect(address).toBe('127.0.0.1');
  expect(await text(socket)).toBe('pinned');
});

test('a resolver that never responds causes a timeout', async () => {
  const guard = guardOpening('', () => new Promise(() => {}));
  const timeout = guard.connect({ host: 'slow.test', port: 443, timeoutMs: 20 });
  await expect(timeout).rejects.toThrow(OutboundTimeoutError);
  await expect(timeout).rejects.toThrow('slow.test:443 did not answer within 20 ms');
});

test('a connection whose TLS handshake never ends is closed at the deadline', async () => {
  const closed = Promise.withResolvers<void>();
  const silent = createServer((socket) =>
    socket
      .resume()
      .on('close', () => closed.resolve())
      .on('error', () => {}),
  );
  const port = await listen(silent, '127.0.0.1');
  const guard = guardOpening('127.0.0.0/8');
  await expect(guard.connect({ host: '127.0.0.1', port, tls: true, timeoutMs: 50 })).rejects.toThrow(
    OutboundTimeoutError,
  );
  await closed.promise;
});

test("if the caller's signal aborts, the connection attempt fails with the signal's reason", async () => {
  const guard = guardOpening('', () => new Promise(() => {}));
  const caller = new AbortController();
  const dialling = guard.connect({ host: 'slow.test', port: 443, signal: caller.signal });
  caller.abort(new Error('shutting down'));
  await expect(dialling).rejects.toThrow('shutting down');
  await expect(guard.connect({ host: 'slow.test', port: 443, signal: caller.signal })).rejects.toThrow('shutting down');
});

test('if a connection is refused, the original error of Node is thrown', async () => {
  const server = createServer();
  const port = await listen(server, '127.0.0.1');
  server.close();
  await once(server, 'close');
  const guard = guardOpening('127.0.0.0/8');
  await expect(guard.connect({ host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test.each([
  { host: 'name.test', servername: undefined, asked: 'name.test', verified: 'name.test' },
  { host: 'name.test.', servername: undefined, asked: 'name.test', verified: 'name.test' },
  { host: 'name.test', servername: 'other.test', asked: 'other.test', verified: 'other.test' },
  { host: '127.0.0.1', servername: undefined, asked: false, verified: '127.0.0.1' },
])('TLS to $host with servername $servername sends the SNI name $asked and verifies $verified', async (expected) => {
  // With a pre-shared key, the handshake needs no certificates, but Node still verifies the host.
  const psk = Buffer.alloc(32, 7);
  const cipher = { ciphers: 'PSK', maxVersion: 'TLSv1.2' } as const;
  const accepted = Promise.withResolvers<TLSSocket>();
  const port = await listen(
    createTlsServer({ ...cipher, pskCallback: () => psk }, (socket) => accepted.resolve(socket.on('error', () => {}))),
    '127.0.0.1',
  );
  let verified = '';
  const checkServerIdentity = (hostname: string) => {
    verified = hostname;
    return undefined;
  };
  const pskCallback = () => ({ psk, identity: 'guard' });
  const guard = guardOpening('127.0.0.0/8', answering([ipv4('127.0.0.1')]).resolve);
  const { host, servername } = expected;
  const socket: Socket = await guard.connect({
    host,
    port,
    servername,
    tls: { ...cipher, pskCallback, checkServerIdentity },
  });
  expect((await accepted.promise).servername).toBe(expected.asked);
  expect(verified).toBe(expected.verified);
  socket.destroy();
});

test.each([
  { allow: '127.0.0.0/8', addresses: ['127.0.0.1', '127.0.0.2'], opened: true },
  { allow: '127.0.0.0/8', addresses: ['127.0.0.1', '10.0.0.1'], opened: false },
  { allow: '127.0.0.0/8', addresses: ['127.0.0.1', '8.8.8.8'], opened: false },
  { allow: 'all', addresses: ['10.0.0.1'], opened: true },
  { allow: 'all', addresses: ['8.8.8.8'], opened: false },
  { allow: '', addresses: ['127.0.0.1'], opened: false },
  { allow: 'all', addresses: [], opened: false },
])('with the setting $allow, a host at $addresses is allowed: $opened', async ({ allow, addresses, opened }) => {
  expect(await guardOpening(allow, answering(addresses.map(ipv4)).resolve).opensHost('name.test')).toBe(opened);
});

test('opensHost accepts IP literals, and returns false for unknown and invalid hosts', async () => {
  const guard = guardOpening('127.0.0.0/8,::1/128', () => Promise.reject(new Error('ENOTFOUND')));
  expect(await guard.opensHost('[::1]')).toBe(true);
  expect(await guard.opensHost('127.0.0.1')).toBe(true);
  expect(await guard.opensHost('10.0.0.1')).toBe(false);
  expect(await guard.opensHost('gone.test')).toBe(false);
  expect(await guard.opensHost('not a host')).toBe(false);
});
