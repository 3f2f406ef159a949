import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseHosts } from '../src/hosts-file.ts';
import { askNameServers, parseNameServers } from '../src/index.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

/** Names of the received queries, in order. */
const asked: string[] = [];
let port: number;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'netguard-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const socket = createSocket('udp4');
  stack.defer(() => void socket.close());
  socket.on('message', (query, { port: from, address }) => {
    const name = nameIn(query);
    asked.push(name);
    const isIpv6 = query.readUInt16BE(12 + name.length + 2) === 28;
    if (!name.startsWith('silent') && !(name.startsWith('known-half') && isIpv6))
      socket.send(answerTo(query, name), from, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  ({ port } = socket.address());
});

/** Decodes the name in a DNS question (RFC 1035 §4.1.2). */
function nameIn(query: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; query[at]; at += (query[at] ?? 0) + 1)
    labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)));
  return labels.join('.');
}

/**
 * Returns the response to a query. Names that begin with `known` have only the address 192.0.2.7; other names don't
 * exist.
 */
function answerTo(query: Buffer, name: string): Buffer {
  const end = 12 + name.length + 2;
  const isKnown = name.startsWith('known') && query.readUInt16BE(end) === 1;
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(isKnown ? 0x8580 : name.startsWith('known') ? 0x8580 : 0x8583, 2);
  header.writeUInt16BE(isKnown ? 1 : 0, 6);
  header.writeUInt32BE(0, 8);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7]);
  return Buffer.concat([header, query.subarray(12, end + 4), ...(isKnown ? [record] : [])]);
}

function resolver(options: Parameters<typeof askNameServers>[0] = {}) {
  return askNameServers({
    servers: [`127.0.0.1:${port}`],
    hostsFile: join(folder, 'none'),
    searchDomains: [],
    ...options,
  });
}

const found = [{ address: '192.0.2.7', family: 4 }];

test('a name is looked up at the configured name servers', async () => {
  expect(await resolver()('known.example')).toEqual(found);
  await expect(resolver()('other.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test('a name server that never responds to queries for IPv6 addresses delays a name by at most half a second', async () => {
  const began = performance.now();
  expect(await resolver()('known-half.example')).toEqual(found);
  expect(performance.now() - began).toBeLessThan(2_000);
});

test('the hosts file has priority over the name servers', async () => {
  const hostsFile = join(folder, 'hosts');
  await writeFile(hostsFile, '# comment\n10.0.0.1 known.example Shop # more\n::1\tknown.example\nnonsense here\n');
  const resolve = resolver({ hostsFile });
  const [four, six] = [
    { address: '10.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];
  expect(await resolve('known.example')).toEqual([four, six]);
  expect(await resolve('KNOWN.example.')).toEqual([four, six]);
  expect(await resolve('shop')).toEqual([four]);
  expect(parseHosts('1.2.3 a\n\n')).toEqual(new Map());
});

test('localhost and its subdomains always resolve to the loopback addresses', async () => {
  const before = asked.length;
  for (const name of ['localhost', 'Localhost.', 'shop.localhost']) {
    expect((await resolver()(name)).map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
  }
  expect(asked).toHaveLength(before);
});

test('a name without a dot is looked up in the search domains first', async () => {
  const searchDomains = ['first.test', 'second.test'];
  expect(await resolver({ searchDomains })('known')).toEqual(found);
  await expect(resolver({ searchDomains })('other')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  const names = asked.filter((name) => name.startsWith('other') && !name.endsWith('example'));
  expect([...new Set(names)]).toEqual(['other.first.test', 'other.second.test', 'other']);
});

test('a name server that never responds causes an error within the limit and does not delay other names', async () => {
  const resolve = resolver({ limitMs: 3_000, timeoutMs: 5_000 });
  const startedAt = performance.now();
  const silent = Array.from({ length: 100 }, (_, index) =>
    resolve(`silent${index}.example`).catch((error: unknown) => error),
  );
  expect(await resolve('known.example')).toEqual(found);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  for (const error of await Promise.all(silent)) expect(error).toMatchObject({ code: 'ETIMEOUT' });
  expect(performance.now() - startedAt).toBeLessThan(6_000);
});

test.each([
  ['', undefined],
  [' 192.0.2.53 , [2001:db8::53]:5353,2001:db8::54', ['192.0.2.53', '[2001:db8::53]:5353', '2001:db8::54']],
  ['192.0.2.53:65535', ['192.0.2.53:65535']],
])('the list of name servers %j is parsed as %j', (text, servers) => {
  expect(parseNameServers(text)).toEqual(servers);
});

test.each(['ns.example', '192.0.2.53:0', '192.0.2.53:65536', '192.0.2.530', '[192.0.2.53]', '192.0.2.53:53:53'])(
  'the list of name servers %j is rejected',
  (text) => {
    expect(() => parseNameServers(text)).toThrow('must be IP addresses with optional ports');
  },
);
