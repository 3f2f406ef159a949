import { expect, test } from 'vitest';
import { problemOfHttpUrl } from './problem-of-http-url.ts';

const EXAMPLE = 'must be an http or https URL such as https://example.com/health';
const SCHEME = `${EXAMPLE}: it must begin with http:// or https://`;
const HOST = 'must have a host that all programs read in the same way: ';
const PORT = 'must have a port between 1 and 65535, or none';
const REST = 'must have percent-encoded characters after the host: ';
const INVALID_HOST = 'must have a valid host name or IP address';

test.each([
  ['https://example.com:8443/health?a=1&b=/?#top', undefined],
  ['https://jane:s3cret@[::1]:9/', undefined],
  ['', SCHEME],
  ['example.com', SCHEME],
  ['example.com:8080/health', SCHEME],
  ['ftp://example.com', SCHEME],
  ['https:example.com', SCHEME],
  ['https:/example.com', SCHEME],
  ['https://', `${EXAMPLE}: it has no host`],
  ['https:///health', `${EXAMPLE}: it has no host`],
  ['https://:443/', `${EXAMPLE}: it has no host`],
  [' https://example.com', 'must not contain white space or control characters'],
  ['https://exa\nmple.com', 'must not contain white space or control characters'],
  ['https://example.com/\u0085', 'must not contain white space or control characters'],
  ['https://example.com\\@evil.example/', 'must not contain a backslash'],
  ['https://münchen.example/', `${HOST}xn--mnchen-3ya.example instead of münchen.example`],
  ['https://me:pw@münchen.example/', `${HOST}xn--mnchen-3ya.example instead of münchen.example`],
  [`https://${'ü'.repeat(60)}.${'ü'.repeat(60)}/`, `${HOST}xn--mnchen-3ya.example instead of münchen.example`],
  [`https://${'ü.'.repeat(60)}a/`, INVALID_HOST],
  ['https://0x7f.1/', `${HOST}127.0.0.1 instead of 0x7f.1`],
  ['https://%65xample.com/', `${HOST}example.com instead of %65xample.com`],
  ['https://a..b/', INVALID_HOST],
  ['https://x,y/', INVALID_HOST],
  ['https://[::1/', INVALID_HOST],
  [`https://${'a.'.repeat(126)}bc/`, 'must have a host of at most 253 characters'],
  ['https://example.com:99999/', PORT],
  ['https://example.com:/', PORT],
  ['https://example.com:http/', PORT],
  ['https://münchen.example:99999/', PORT],
  ['https://example.com/ü', `${REST}%C3%BC instead of ü`],
  ['https://example.com/a?q=😀', `${REST}%F0%9F%98%80 instead of 😀`],
  ['https://example.com/100%', `${REST}%25 instead of %`],
  ['https://example.com/a[0]', `${REST}%5B instead of [`],
  ['https://example.com/a#b#c', `${REST}%23 instead of #`],
  ['https://example.com/\ud800', `${REST}%EF%BF%BD instead of \ufffd`],
])('the problem of the URL %j is: %s', (text, problem) => {
  expect(problemOfHttpUrl(text)).toBe(problem);
});

test('the message about a long URL is short', () => {
  for (const text of [`https://${'ü'.repeat(8_000)}/`, `https://a/${'ü'.repeat(8_000)}`, 'ü'.repeat(8_000)]) {
    expect(problemOfHttpUrl(text)?.length).toBeLessThan(300);
  }
});
