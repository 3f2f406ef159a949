import { createServer, type Server } from 'node:https';
import { createServer as createTlsServer } from 'node:tls';
import { listen } from '@tocsin/runtime';
import {
  type Authority,
  createAuthority,
  type Issued,
  type LeafOptions,
  selfSigned,
} from '@tocsin/testing/certificates';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Observation } from '../src/domain/observation.ts';
import { createTrust } from '../src/probes/connection/trust.ts';
import { httpProbe } from '../src/probes/http/http-probe.ts';
import { tcpProbe } from '../src/probes/tcp/tcp-probe.ts';
import { encodeResult } from '../src/wire/check-result.ts';
import { dialling } from './dialling.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

let root: Authority;
let middle: Authority;
let options: ReturnType<typeof dialling>;
beforeAll(async () => {
  root = await createAuthority('Test Root');
  middle = await root.below('Test Middle');
  // Every name resolves to the loopback address.
  const resolve = async () => [{ address: '127.0.0.1', family: 4 as const }];
  options = dialling({ ca: root.cert, resolve });
});

async function serve(issued: Issued, ...further: string[]): Promise<number> {
  const server: Server = createServer(
    { key: issued.key, cert: [issued.cert, ...further].join('\n') },
    (_request, response) => response.end('hello'),
  );
  const port = await listen(server, '127.0.0.1', 0);
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return port;
}

function check(port: number, config: object = {}, host = 'shop.example') {
  const url = `https://${host}:${port}/`;
  return httpProbe(options)(JSON.stringify({ url, ...config }), 5_000, new Map());
}

function checkTcp(port: number, host = 'shop.example') {
  return tcpProbe(options)(JSON.stringify({ host, port, tls: true }), 5_000, new Map());
}

const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

test('a valid certificate passes and is reported by http and tcp checks', async () => {
  const port = await serve(await root.issue({ names: ['shop.example', '*.example.org'], ends: 90 }));
  const seen = await check(port);
  expect(seen).toMatchObject({
    outcome: 'pass',
    statusCode: 200,
    certificate: {
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      subject: 'shop.example',
      issuer: 'Test Root',
      valid: true,
      problem: '',
    },
  });
  expect(seen.certificate?.notAfter.toISOString().slice(0, 10)).toBe(dayIn(90));
  for (const phase of ['dns', 'connect', 'tls', 'firstByte', 'total'] as const)
    expect(seen.phases[phase]).toBeGreaterThan(0);
  expect(await checkTcp(port)).toMatchObject({ outcome: 'pass', certificate: seen.certificate });
});

test('a certificate that expires tomorrow passes the check', async () => {
  const port = await serve(await root.issue({ names: ['shop.example'], ends: 1 }));
  const { outcome, certificate } = await check(port);
  expect({ outcome, valid: certificate?.valid, day: certificate?.notAfter.toISOString().slice(0, 10) }).toEqual({
    outcome: 'pass',
    valid: true,
    day: dayIn(1),
  });
});

test('a server that sends the intermediate certificate passes the check', async () => {
  const port = await serve(await middle.issue({ names: ['shop.example'] }), middle.cert);
  expect(await check(port)).toMatchObject({ outcome: 'pass', certificate: { issuer: 'Test Middle', valid: true } });
});

test.each<[string, LeafOptions, string]>([
  ['one name', { names: ['shop.example'] }, 'shop.example'],
  ['a name that matches a wildcard', { names: ['*.shop.example'] }, 'www.shop.example'],
  ['a name with a trailing dot', { names: ['shop.example'] }, 'shop.example.'],
  ['an IP address', { names: [], addresses: ['127.0.0.1'] }, '127.0.0.1'],
])('a certificate for %s matches the host', async (_, leaf, host) => {
  const port = await serve(await root.issue(leaf));
  expect(await check(port, {}, host)).toMatchObject({ outcome: 'pass', error: '' });
});

describe('a certificate that clients do not trust', () => {
  const bad: [string, () => Promise<readonly [Issued, ...string[]]>, string][] = [
    [
      'expired',
      async () => [await root.issue({ names: ['shop.example'], begins: -90, ends: -3 })],
      `certificate expired on ${dayIn(-3)}`,
    ],
    [
      'not valid yet',
      async () => [await root.issue({ names: ['shop.example'], begins: 3, ends: 90 })],
      `certificate is not valid before ${dayIn(3)}`,
    ],
    ['self-signed', async () => [await selfSigned(['shop.example'])], 'certificate is self-signed'],
    [
      'for a different name',
      async () => [await root.issue({ names: ['other.example'] })],
      'certificate is for other.example, not for shop.example',
    ],
    [
      'for many different names',
      async () => [await root.issue({ names: ['a.example', 'b.example', '*.c.example', 'd.example', 'e.example'] })],
      'certificate is for a.example, b.example, *.c.example and 2 more, not for shop.example',
    ],
    [
      'without any name',
      async () => [await root.issue({ names: [] })],
      'certificate is for no name at all, not for shop.example',
    ],
    [
      'without its intermediate certificate',
      async () => [await middle.issue({ names: ['shop.example'] })],
      'certificate chain is incomplete: the server did not send the certificate of its issuer, "Test Middle", which is no trusted authority either',
    ],
    [
      'of an unknown authority that the server sends',
      async () => {
        const stranger = await createAuthority('Stranger');
        return [await stranger.issue({ names: ['shop.example'] }), stranger.cert];
      },
      'certificate is from an unknown authority, "Stranger"',
    ],
    [
      'of an intermediate certificate of an unknown authority',
      async () => {
        const lower = await (await createAuthority('Stranger')).below('Lower');
        return [await lower.issue({ names: ['shop.example'] }), lower.cert];
      },
      'certificate is from an unknown authority, "Stranger"',
    ],
  ];

  test.each(bad)('a check reports the problem if the certificate is %s', async (_, make, problem) => {
    const port = await serve(...(await make()));
    expect(await check(port)).toMatchObject({
      outcome: 'error',
      error: problem,
      certificate: { valid: false, problem },
    });
    expect(await checkTcp(port)).toMatchObject({
      outcome: 'error',
      error: problem,
      certificate: { valid: false, problem },
    });
    const unverified = await check(port, { verify_tls: false });
    expect(unverified).toMatchObject({ outcome: 'pass', error: '', certificate: { valid: false, problem } });
  });
});

test("after a redirect, the first host's certificate is reported, unless a later one is invalid", async () => {
  const [good, other, expired] = await Promise.all([
    root.issue({ names: ['shop.example'] }),
    root.issue({ names: ['www.example'] }),
    root.issue({ names: ['old.example'], begins: -9, ends: -2 }),
  ]);
  const to = { other: await serve(other), expired: await serve(expired) };
  const server = createServer({ key: good.key, cert: good.cert }, ({ url }, response) => {
    const location = url === '/old' ? `https://old.example:${to.expired}/` : `https://www.example:${to.other}/`;
    response.writeHead(302, { location }).end();
  });
  const port = await listen(server, '127.0.0.1', 0);
  stack.defer(() => void server.close());
  expect(await check(port)).toMatchObject({ outcome: 'pass', certificate: { subject: 'shop.example' } });
  const old = await check(port, { url: `https://shop.example:${port}/old` });
  expect(old).toMatchObject({
    outcome: 'error',
    error: `certificate expired on ${dayIn(-2)} (after a redirect to old.example:${to.expired})`,
    certificate: { subject: 'old.example', valid: false },
  });
});

test('the error for a server with only old TLS versions names these versions', async () => {
  const { key, cert } = await root.issue({ names: ['shop.example'] });
  const old = createTlsServer({ key, cert, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' });
  const port = await listen(old, '127.0.0.1', 0);
  stack.defer(() => void old.close());
  expect(await checkTcp(port)).toMatchObject({
    outcome: 'error',
    error: `127.0.0.1:${port} speaks only TLS 1.1 or older`,
  });
});

test('a file of certificate authorities that contains no certificate is rejected', () => {
  expect(() => createTrust('no PEM')).toThrow('there is no certificate in PEM in it');
});

test('the name of the issuer in a hostile certificate is cut', async () => {
  const issuer = Array.from({ length: 1_200 }, () => `OU=${'x'.repeat(60)}`).join(', ');
  const port = await serve(await root.issue({ names: ['shop.example'], issuer }));
  const { certificate } = await check(port, { verify_tls: false });
  expect(certificate?.issuer).toBe(`${issuer.slice(0, 255)}…`);
  expect(certificate?.problem).toContain(`"${issuer.slice(0, 255)}…"`);
  expect(certificate?.problem.length).toBeLessThan(1_000);
  const { error } = await check(port);
  expect(error).toContain('is incomplete');
  expect(error.length).toBeLessThan(1_000);
});

test('the alternative names in a hostile certificate are cut', async () => {
  const names = Array.from({ length: 3 }, (_, index) => `${index}.${'y'.repeat(5_000)}`);
  const { certificate } = await check(await serve(await root.issue({ names })), { verify_tls: false });
  expect(certificate?.problem).toMatch(/^certificate is for 0\.y+…, 1\.y+…, 2\.y+…, not for shop\.example$/);
  expect(certificate?.problem.length).toBeLessThan(1_000);
});

test.each(['991399000000Z', 'xxxxxxxxxxxxx'])(
  'a certificate that ends on "%s" is invalid, and its result can be sent',
  async (date) => {
    const { cert, key } = await root.issue({ names: ['shop.example'] });
    const { certificate } = await check(await serve({ cert: endingOn(cert, date), key }), { verify_tls: false });
    expect(certificate).toMatchObject({ notAfter: new Date(0), valid: false });
    expect(certificate?.problem).not.toBe('');
    const at = new Date();
    const times = { roundAt: at, checkedAt: at, finishedAt: at };
    const observation: Observation = { outcome: 'pass', error: '', phases: {}, certificate };
    expect(encodeResult({ monitorId: 'a', region: 'eu', ...times, observation }).byteLength).toBeGreaterThan(0);
  },
);

/** Returns a certificate in PEM with another date at the end of its validity, which need not be valid. */
function endingOn(pem: string, date: string): string {
  const der = Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
  // A UTCTime has the tag 0x17 and 13 characters. The second one is the end of validity.
  const tag = Buffer.from([0x17, 13]);
  der.write(date, der.indexOf(tag, der.indexOf(tag) + 1) + tag.length, 'latin1');
  return `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}
