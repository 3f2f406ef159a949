import { expect, test } from 'vitest';
import { parseHttpUrl } from './parse-http-url.ts';

test.each([
  'https://example.com',
  'http://example.com/',
  'HTTPS://Example.COM/Path',
  'https://example.com:8443/health?a=1&b=/?#top',
  'https://jane:s3cret@example.com/',
  'https://example.com/a%20b;c=(d)/~e!$',
  'https://xn--bcher-kva.example/',
  'http://localhost:3000/',
  'http://127.0.0.1:9/hook',
  'http://[::1]:9/hook',
  'https://a_b.example.com./',
  'https://example.com?x=1',
  `https://${'a.'.repeat(126)}b/`,
])('%s is an http URL', (text) => {
  expect(parseHttpUrl(text)?.href).toBe(new URL(text).href);
});

test.each([
  '',
  'example.com',
  '/logo.svg',
  'https:example.com',
  'https:/example.com',
  'https:///example.com',
  'https://',
  'https://?x',
  'https://:443/',
  ' https://example.com',
  'https://example.com ',
  'https://exa mple.com/',
  'https://exa\nmple.com',
  'https://example.com/\t',
  'https://example.com/\0',
  'https:\\\\example.com\\',
  'https://example.com\\@evil.example/',
  'https://example.com/a b',
  'https://example.com/ü',
  'https://bücher.example/',
  'https://example.com/%',
  'https://example.com/%2',
  'https://example.com/a[0]',
  'https://example.com/<script>',
  'https://example.com:99999/',
  'https://x;sandbox/l.png',
  'https://x,y/',
  'https://*/',
  "https://'unsafe-inline'/",
  'https://0x7f.1/',
  'https://2130706433/',
  'https://127.1/',
  'https://%65xample.com/',
  'https://a..b/',
  'https://[::1/',
  'ftp://example.com/',
  'javascript:alert(1)',
  `https://${'a.'.repeat(126)}bc/`,
])('%j is not an http URL', (text) => {
  expect(parseHttpUrl(text)).toBeUndefined();
});

test('a long text that is almost a URL is rejected quickly', () => {
  const began = performance.now();
  for (const text of [
    `https://${'a'.repeat(200_000)}!`,
    `https://a/${'%41?'.repeat(50_000)}<`,
    `https://a?${'?'.repeat(200_000)} `,
  ]) {
    expect(parseHttpUrl(text)).toBeUndefined();
  }
  expect(performance.now() - began).toBeLessThan(1_000);
});
