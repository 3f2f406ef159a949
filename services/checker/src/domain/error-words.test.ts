import { expect, test } from 'vitest';
import { wordsFor } from './error-words.ts';

const target = { host: 'example.com', port: 443, address: '203.0.113.7' };

test.each([
  ['ECONNREFUSED', 'connection refused by 203.0.113.7:443'],
  ['ENOTFOUND', 'host example.com has no address'],
  ['CERT_HAS_EXPIRED', 'the certificate of example.com has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate of example.com is for another name'],
  ['HPE_INVALID_CONSTANT', '203.0.113.7:443 does not speak HTTP (HPE_INVALID_CONSTANT)'],
])('%s is told as "%s"', (code, words) => {
  expect(wordsFor(Object.assign(new Error('x'), { code }), target)).toBe(words);
});

test('an IPv6 peer is written so that its port can be told', () => {
  const error = Object.assign(new Error('x'), { code: 'ECONNRESET' });
  expect(wordsFor(error, { ...target, address: '2001:db8::1' })).toBe('connection reset by [2001:db8::1]:443');
});

test('of several addresses that all failed, the preferred one is told', () => {
  const refused = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
  expect(wordsFor(new AggregateError([refused]), target)).toBe('connection refused by 203.0.113.7:443');
});

test('an unknown error keeps its own words', () => {
  expect(wordsFor(new Error('something new'), target)).toBe('something new');
});
