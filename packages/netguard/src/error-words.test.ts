import { expect, test } from 'vitest';
import { wordsFor } from './error-words.ts';

const target = { host: 'example.com', port: 443, address: '203.0.113.7' };

test.each([
  ['ECONNREFUSED', 'connection refused by 203.0.113.7:443'],
  ['ECONNRESET', 'connection reset by 203.0.113.7:443'],
  ['EPIPE', 'connection closed by 203.0.113.7:443 while sending'],
  ['EHOSTUNREACH', 'no route to 203.0.113.7:443'],
  ['ENETUNREACH', 'the network of 203.0.113.7:443 is unreachable'],
  ['ETIMEDOUT', '203.0.113.7:443 did not answer the connection'],
  ['ENOTFOUND', 'host example.com does not exist'],
  ['ENODATA', 'host example.com has no address'],
  ['ETIMEOUT', 'the name server did not respond for example.com'],
  ['ESERVFAIL', 'the name server failed to resolve example.com (SERVFAIL)'],
  ['EREFUSED', 'the name server refused to resolve example.com (REFUSED)'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', '203.0.113.7:443 does not speak TLS'],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', '203.0.113.7:443 speaks only TLS 1.1 or older'],
  ['HPE_HEADER_OVERFLOW', '203.0.113.7:443 sent more than 64 KiB of headers'],
  ['HPE_INVALID_CONSTANT', '203.0.113.7:443 does not speak HTTP'],
  ['Z_DATA_ERROR', '203.0.113.7:443 sent a compressed body that is damaged'],
  ['ERR__ERROR_FORMAT_PADDING_1', '203.0.113.7:443 sent a compressed body that is damaged'],
])('error code %s is described as "%s"', (code, words) => {
  expect(wordsFor(Object.assign(new Error('x'), { code }), target)).toBe(words);
});

test.each([
  ['HPE_INVALID_STATUS', 'Invalid status code', '203.0.113.7:443 broke the rules of HTTP (Invalid status code)'],
  ['ERR_SSL_ALERT', 'handshake failure', 'TLS with 203.0.113.7:443 failed (handshake failure)'],
])('error code %s with the reason "%s" is described as "%s"', (code, reason, words) => {
  expect(wordsFor(Object.assign(new Error('x'), { code, reason }), target)).toBe(words);
});

test('a connection that breaks during the response is reported as closed in the middle of the response', () => {
  const error = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
  expect(wordsFor(error, target, true)).toBe('connection closed by 203.0.113.7:443 in the middle of the response');
});

test('a target that is not resolved yet is reported by name', () => {
  const error = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
  expect(wordsFor(error, { ...target, address: undefined })).toBe('connection refused by example.com:443');
});

test('an IPv6 peer is described in brackets, so that its port is clear', () => {
  const error = Object.assign(new Error('x'), { code: 'ECONNRESET' });
  expect(wordsFor(error, { ...target, address: '2001:db8::1' })).toBe('connection reset by [2001:db8::1]:443');
});

test('if all addresses of a host failed, the error of the preferred address is reported', () => {
  const refused = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
  expect(wordsFor(new AggregateError([refused]), target)).toBe('connection refused by 203.0.113.7:443');
});

test('an unknown error keeps its message', () => {
  expect(wordsFor(new Error('something new'), target)).toBe('something new');
});
