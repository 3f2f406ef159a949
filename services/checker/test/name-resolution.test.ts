import { askNameServers } from '@tocsin/netguard';
import type { Answer } from 'dns-packet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tcpProbe } from '../src/probes/tcp/tcp-probe.ts';
import { dialling } from './dialling.ts';
import { Fixture } from './hostile/target.ts';
import { type Asked, type NameServer, reply, startNameServer } from './name-server.ts';

const fixture = new Fixture();
const stack = new AsyncDisposableStack();
stack.use(fixture);
afterAll(() => stack.disposeAsync());

const ZONE: Record<string, readonly string[]> = {
  'four.example': ['127.0.0.1'],
  'six.example': ['::1'],
  'both.example': ['127.0.0.1', '::1'],
  'inside.example': ['10.0.0.7'],
  'metadata.example': ['169.254.169.254', '::ffff:10.0.0.1'],
  'part.example': ['10.0.0.7', '127.0.0.1'],
  'empty.example': [],
};

function answer(question: Asked): readonly Buffer[] {
  const { name, type } = question;
  if (name === 'silent.example') return [];
  if (name === 'broken.example') return [reply(question, { code: 2 })];
  if (name === 'half.example') return [reply(question, type === 'AAAA' ? { code: 2 } : { answers: [] })];
  if (name === 'refused.example') return [reply(question, { code: 5 })];
  const addresses = ZONE[name];
  if (!addresses) return [reply(question, { code: 3 })];
  const fitting = addresses.filter((address) => address.includes(':') === (type === 'AAAA'));
  return [reply(question, { answers: fitting.map((data) => ({ type, name, data }) as Answer) })];
}

let server: NameServer;
let port: number;
beforeAll(async () => {
  server = stack.use(await startNameServer(answer));
  port = await fixture.tcp(() => {});
});

function check(host: string, timeoutMs = 10_000, patienceMs = 500) {
  const resolve = askNameServers({ servers: [`127.0.0.1:${server.port}`], timeoutMs: patienceMs });
  return tcpProbe(dialling({ resolve }))(JSON.stringify({ host, port }), timeoutMs, new Map());
}

test.each(['four.example', 'both.example', 'four.example.'])('the name %s is resolved and reached', async (host) => {
  expect(await check(host)).toMatchObject({ outcome: 'pass', error: '' });
});

test('a name with a private and a public address is reached at the public address', async () => {
  expect(await check('part.example')).toMatchObject({ outcome: 'pass', error: '' });
});

test.each([
  ['absent.example', 'host absent.example does not exist'],
  ['empty.example', 'host empty.example has no address'],
  ['broken.example', 'the name server failed to resolve broken.example (SERVFAIL)'],
  ['half.example', 'the name server failed to resolve half.example (SERVFAIL)'],
  ['refused.example', 'the name server refused to resolve refused.example (REFUSED)'],
  ['silent.example', 'the name server did not respond for silent.example'],
])('resolving %s fails with the error: %s', async (host, error) => {
  expect(await check(host)).toMatchObject({ outcome: 'error', error });
});

test.each([
  ['inside.example', '10.0.0.7'],
  ['metadata.example', '169.254.169.254'],
])('a check of the private host %s fails, and the error does not show the address %s', async (host, address) => {
  const { outcome, error } = await check(host);
  expect(outcome).toBe('error');
  expect(error).toContain(`${host} does not resolve to a public address`);
  expect(error).not.toContain(address);
});

test('a name with only an IPv6 address is reached at that address', async () => {
  expect(await check('six.example')).toMatchObject({
    outcome: 'error',
    error: `connection refused by [::1]:${port}`,
  });
});

test('the error of a check that times out during name resolution names that phase', async () => {
  expect(await check('silent.example', 300)).toMatchObject({
    outcome: 'timeout',
    error: 'no response within 300 ms, still resolving the name',
  });
});

test('name servers that never respond do not delay the resolution of other names', async () => {
  const silent = Array.from({ length: 50 }, () => check('silent.example', 8_000, 20_000));
  let left = silent.length;
  for (const one of silent) void one.then(() => (left -= 1));
  expect(await check('four.example', 7_000, 7_000)).toMatchObject({ outcome: 'pass' });
  expect(left).toBe(50);
  await Promise.all(silent);
});
