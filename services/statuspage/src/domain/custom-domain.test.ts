import { expect, test } from 'vitest';
import { checkDomain, type DnsRecord, recordsOf, says } from './custom-domain.ts';
import { slugOfHost } from './public-url.ts';

const address = { baseUrl: 'https://app.tocsin.example:8443', statusDomain: 'status.tocsin.example' };
const longest = `${'a.'.repeat(121)}example.com`;

test.each([
  ['status.example.com', 'status.example.com'],
  ['Status.Example.COM.', 'status.example.com'],
  ['a.b.example.co.uk', 'a.b.example.co.uk'],
  ['status.xn--bcher-kva.example', 'status.xn--bcher-kva.example'],
  ['nottocsin.example.com', 'nottocsin.example.com'],
  [longest, longest],
])('the domain %s is stored as %s', (text, name) => {
  expect(checkDomain(text, address)).toBe(name);
});

const NO_HOST = 'must be a host name such as status.example.com';
const APEX = expect.stringContaining('an apex can have no CNAME');

test.each([
  ['', 'is required'],
  ['https://status.example.com', NO_HOST],
  ['status.example.com/path', NO_HOST],
  ['status.example.com:443', NO_HOST],
  ['*.example.com', NO_HOST],
  ['status..example.com', NO_HOST],
  ['-status.example.com', NO_HOST],
  ['status_page.example.com', NO_HOST],
  ['stätus.example.com', NO_HOST],
  ['status .example.com', NO_HOST],
  ['10.0.0.1', NO_HOST],
  ['::1', NO_HOST],
  [`${'a'.repeat(64)}.example.com`, NO_HOST],
  [`a${longest}`, NO_HOST],
  ['localhost', APEX],
  ['example.com', APEX],
  ['example.co.uk', APEX],
  ['app.tocsin.example', 'must be a domain of yours, not one of app.tocsin.example'],
  ['acme.Status.tocsin.example', 'must be a domain of yours, not one of status.tocsin.example'],
])('the domain %s is refused with the error "%s"', (text, words) => {
  const refusal = expect.objectContaining({ kind: 'invalid', fields: { domain: [words] } });
  expect(() => checkDomain(text, address)).toThrow(refusal);
});

const page = { slug: 'acme', domainToken: 'token' };

test('if each page has its own host, either the CNAME or the TXT record proves control of a domain', () => {
  expect(recordsOf(page, 'status.example.com', address)).toEqual([
    { type: 'CNAME', name: 'status.example.com', value: 'acme.status.tocsin.example', proves: true },
    { type: 'TXT', name: '_tocsin-verify.status.example.com', value: 'token', proves: true },
  ]);
});

test('if all pages share a host, only the TXT record proves control of a domain', () => {
  const [cname, txt] = recordsOf(page, 'status.example.com', { baseUrl: address.baseUrl });
  expect(cname).toMatchObject({ value: 'app.tocsin.example', proves: false });
  expect(txt).toMatchObject({ proves: true });
});

const cname: DnsRecord = { type: 'CNAME', name: 'x', value: 'acme.status.tocsin.example', proves: true };
const txt: DnsRecord = { type: 'TXT', name: 'x', value: 'token', proves: true };

test.each<[DnsRecord, string[], boolean]>([
  [cname, ['acme.status.tocsin.example'], true],
  [cname, ['Acme.Status.Tocsin.Example.'], true],
  [cname, ['other.status.tocsin.example'], false],
  [cname, ['acme.status.tocsin.example.evil.example'], false],
  [cname, [], false],
  [txt, ['v=spf1 -all', 'token'], true],
  [txt, ['TOKEN'], false],
  [txt, ['token and more'], false],
])('whether the record %j matches the DNS values %j: %s', (record, records, expected) => {
  expect(says(record, records)).toBe(expected);
});

test.each([
  ['acme.status.tocsin.example', 'acme'],
  ['a.b.status.tocsin.example', 'a.b'],
  ['status.tocsin.example', undefined],
  ['acmestatus.tocsin.example', undefined],
  ['status.example.com', undefined],
])('the host %s belongs to the page %s', (host, slug) => {
  expect(slugOfHost(host, address)).toBe(slug);
  expect(slugOfHost(host, { baseUrl: address.baseUrl })).toBeUndefined();
});
