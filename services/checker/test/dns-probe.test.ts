import { createNetguard } from '@tocsin/netguard';
import type { Answer } from 'dns-packet';
import { afterAll, describe, expect, test } from 'vitest';
import { dnsProbe } from '../src/probes/dns/dns-probe.ts';
import { dialling } from './dialling.ts';
import { type Behaviour, type NameServer, reply, startNameServer } from './name-server.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

const { guard } = dialling();

async function serve(behave: Behaviour, host = '127.0.0.1'): Promise<NameServer> {
  return stack.use(await startNameServer(behave, { host }));
}

function knowing(...answers: Answer[]): Promise<NameServer> {
  return serve((question) => [reply(question, { answers })]);
}

function check(server: NameServer, config: object, timeoutMs = 5_000) {
  const nameserver = `127.0.0.1:${server.port}`;
  const json = JSON.stringify({ host: 'example.com', nameserver, ...config });
  return dnsProbe({ guard })(json, timeoutMs, new Map());
}

const name = 'example.com';
const caa = { flags: 0, tag: 'issue', value: 'ca.example', issuerCritical: false } as const;
const soa = { mname: 'ns.example', rname: 'hostmaster.example', serial: 7, refresh: 60, retry: 30, expire: 90 };

/** DNS records, each with the expected values that match it. */
const records: [Answer, string[]][] = [
  [{ type: 'A', name, data: '192.0.2.7' }, ['192.0.2.7']],
  [{ type: 'AAAA', name, data: '2001:db8::7' }, ['2001:db8::7', '2001:0DB8:0:0:0:0:0:7']],
  [{ type: 'CNAME', name, data: 'www.example.net' }, ['www.example.net', 'WWW.example.net.']],
  [{ type: 'MX', name, data: { preference: 10, exchange: 'mail.example' } }, ['10 mail.example', 'Mail.example.']],
  [{ type: 'TXT', name, data: ['v=spf1 ', '-all'] }, ['v=spf1 -all', '"v=spf1 -all"', '"v=spf1 " "-all"']],
  [{ type: 'NS', name, data: 'ns1.example' }, ['ns1.example', 'NS1.EXAMPLE.']],
  [{ type: 'SOA', name, data: { ...soa, minimum: 5 } }, ['ns.example hostmaster.example 7 60 30 90 5', 'ns.example']],
  [
    { type: 'SRV', name, data: { priority: 1, weight: 2, port: 443, target: 'a.example' } },
    ['1 2 443 a.example', 'a.example.'],
  ],
  [{ type: 'CAA', name, data: caa }, ['0 issue "ca.example"', 'ca.example']],
  [{ type: 'PTR', name, data: 'host.example' }, ['host.example']],
];

describe.each(records)('the record %j', (record, spellings) => {
  test.each(spellings)('a check that expects %s passes', async (spelling) => {
    const seen = await check(await knowing(record), { record_type: record.type, expected_records: [spelling] });
    expect(seen).toMatchObject({ outcome: 'pass', error: '', phases: { dns: expect.any(Number) } });
  });

  test('a check that expects a different record fails', async () => {
    const seen = await check(await knowing(record), { record_type: record.type, expected_records: ['nonsense'] });
    expect(seen).toMatchObject({
      outcome: 'fail',
      error: `${record.type} of example.com: expected nonsense, found ${spellings[0]}`,
    });
  });

  test('a query of another type does not return the record', async () => {
    const wanted = record.type === 'A' ? 'AAAA' : 'A';
    expect(await check(await knowing(record), { record_type: wanted })).toMatchObject({
      outcome: 'fail',
      error: `example.com has no ${wanted} record`,
    });
  });
});

test('the default record type is A, and aliases are followed', async () => {
  const alias: Answer = { type: 'CNAME', name, data: 'www.example.net' };
  const server = await knowing(alias, { type: 'A', name: 'www.example.net', data: '192.0.2.7' });
  expect(await check(server, { expected_records: ['192.0.2.7'] })).toMatchObject({ outcome: 'pass' });
  expect(server.asked).toMatchObject([{ name: 'example.com', type: 'A', over: 'udp' }]);
});

test.each([
  [3, 'fail', 'example.com does not exist (NXDOMAIN)'],
  [0, 'fail', 'example.com has no A record'],
  [1, 'error', 'the name server answered FORMERR for example.com'],
  [2, 'error', 'the name server answered SERVFAIL for example.com'],
  [4, 'error', 'the name server answered NOTIMP for example.com'],
  [5, 'error', 'the name server answered REFUSED for example.com'],
  [9, 'error', 'the name server answered code 9 for example.com'],
])('a response with code %i and without records has the outcome %s: %s', async (code, outcome, error) => {
  const server = await serve((question) => [reply(question, { code })]);
  expect(await check(server, {})).toMatchObject({ outcome, error });
});

test.each([
  ['192.0.2.7', '7.2.0.192.in-addr.arpa'],
  ['2001:db8::7', '7.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa'],
  ['7.2.0.192.in-addr.arpa', '7.2.0.192.in-addr.arpa'],
])('the PTR record of %s is queried as %s', async (host, asked) => {
  const server = await knowing({ type: 'PTR', name: asked, data: 'host.example' });
  const config = { host, record_type: 'PTR', expected_records: ['host.example'] };
  expect(await check(server, config)).toMatchObject({ outcome: 'pass' });
  expect(server.asked).toMatchObject([{ name: asked, type: 'PTR' }]);
});

test.each([
  ['bücher.example.', 'xn--bcher-kva.example'],
  ['_sip._tcp.example.com', '_sip._tcp.example.com'],
])('the name %s is queried as %s', async (host, asked) => {
  const server = await knowing({ type: 'SRV', name: asked, data: { port: 5060, target: 'sip.example' } });
  expect(await check(server, { host, record_type: 'SRV' })).toMatchObject({ outcome: 'pass' });
  expect(server.asked).toMatchObject([{ name: asked }]);
});

test.each(['a..b', `${'x'.repeat(64)}.example`, `${'x.'.repeat(130)}example`, 'a b'])(
  'the invalid name "%s" is not queried',
  async (host) => {
    const server = await knowing();
    expect(await check(server, { host })).toMatchObject({
      outcome: 'error',
      error: `"${host}" is not a name that DNS could hold`,
    });
    expect(server.asked).toEqual([]);
  },
);

test('a truncated response is queried again over TCP', async () => {
  const answers = Array.from({ length: 200 }, (_, n): Answer => ({ type: 'TXT', name, data: `record ${n}` }));
  const server = await serve((question) => [
    reply(question, question.over === 'udp' ? { truncated: true } : { answers }),
  ]);
  const config = { record_type: 'TXT', expected_records: ['record 199'] };
  expect(await check(server, config)).toMatchObject({ outcome: 'pass' });
  expect(server.asked.map(({ over }) => over)).toEqual(['udp', 'tcp']);
});

test('a query is repeated after a lost packet', async () => {
  const answers: Answer[] = [{ type: 'A', name, data: '192.0.2.7' }];
  const server = await serve((question) => (question.before === 0 ? [] : [reply(question, { answers })]));
  expect(await check(server, {}, 10_000)).toMatchObject({ outcome: 'pass' });
  expect(server.asked).toHaveLength(2);
});

test('unrelated packets before the response are ignored', async () => {
  const answers: Answer[] = [{ type: 'A', name, data: '192.0.2.7' }];
  const server = await serve((question) => [
    reply({ ...question, id: question.id ^ 1 }, { code: 3 }),
    reply({ ...question, name: 'other.example' }, { code: 3 }),
    reply(question, { answers }),
  ]);
  expect(await check(server, {})).toMatchObject({ outcome: 'pass' });
});

test('a name server is queried over IPv6', async () => {
  const server = await serve(
    (question) => [reply(question, { answers: [{ type: 'A', name, data: '192.0.2.7' }] })],
    '::1',
  );
  expect(await check(server, { nameserver: `[::1]:${server.port}` })).toMatchObject({ outcome: 'pass' });
});

test.each([
  ['10.0.0.53', '10.0.0.53'],
  ['169.254.169.254:53', '169.254.169.254'],
  ['[::ffff:192.168.0.1]:5353', '::ffff:192.168.0.1'],
  ['fd00::53', 'fd00::53'],
  ['0.0.0.0', '0.0.0.0'],
])('the name server %s is not queried, because %s is private', async (nameserver, address) => {
  expect(await check(await knowing(), { nameserver })).toMatchObject({
    outcome: 'error',
    error: expect.stringContaining(`${address} is not a public address`),
  });
});

describe("the checker's own name servers", () => {
  function checkWith(servers: readonly NameServer[]) {
    const probe = dnsProbe({ guard, servers: servers.map(({ port }) => `127.0.0.1:${port}`) });
    return probe(JSON.stringify({ host: name }), 10_000, new Map());
  }

  test("a check without a name server queries the checker's own name servers, the second one only if the first one does not respond", async () => {
    const good = await knowing({ type: 'A', name, data: '192.0.2.7' });
    const spare = await knowing();
    expect(await checkWith([good, spare])).toMatchObject({ outcome: 'pass' });
    expect(spare.asked).toEqual([]);
    const silent = await serve(() => []);
    expect(await checkWith([silent, good])).toMatchObject({ outcome: 'pass' });
  });

  test.each([
    ['A', name, '10.0.0.7'],
    ['AAAA', name, 'fd00::7'],
    ['PTR', '10.0.0.7', 'db.internal'],
  ] as const)(
    "a private %s record of %s from the checker's own name servers is not shown, and a check that expects it fails",
    async (type, host, data) => {
      const server = await serve((question) => [reply(question, { answers: [{ type, name: question.name, data }] })]);
      const json = JSON.stringify({ host, record_type: type, expected_records: [data] });
      const probe = dnsProbe({ guard, servers: [`127.0.0.1:${server.port}`] });
      const { outcome, error } = await probe(json, 10_000, new Map());
      expect({ outcome, found: error.split('found ')[1] }).toEqual({ outcome: 'fail', found: 'a private record' });
      // The record is shown if the tenant chose the name server, because any client can send the same query to that
      // server.
      expect(await check(server, JSON.parse(json))).toMatchObject({ outcome: 'pass' });
    },
  );

  test('a check without any name servers has the outcome error', async () => {
    expect(await checkWith([])).toMatchObject({
      outcome: 'error',
      error: 'this checker has no name server to ask',
    });
  });
});

test('a truncated response that ends in the middle of a record is queried again over TCP', async () => {
  const server = await serve((question) => {
    const whole = reply(question, { answers: [{ type: 'A', name, data: '192.0.2.7' }] });
    if (question.over === 'tcp') return [whole];
    const cut = whole.subarray(0, whole.length - 8);
    cut.writeUInt16BE(cut.readUInt16BE(2) | 0x0200, 2);
    return [cut];
  });
  expect(await check(server, { expected_records: ['192.0.2.7'] })).toMatchObject({ outcome: 'pass' });
  expect(server.asked.map(({ over }) => over)).toEqual(['udp', 'tcp']);
});

test('a name server to which the kernel sends no packets is an error of the check', async () => {
  // connect() is refused for the broadcast address, as it is for an address without a route.
  const json = JSON.stringify({ host: name, nameserver: '255.255.255.255' });
  const probe = dnsProbe({ guard: createNetguard({ allow: 'all' }) });
  expect(await probe(json, 5_000, new Map())).toMatchObject({ outcome: 'error' });
});
