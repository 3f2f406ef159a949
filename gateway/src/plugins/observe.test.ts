import { expect, test } from 'vitest';
import { redactPath } from './observe.ts';

test.each([
  ['/api/v1/monitors?q=secret', '/api/v1/monitors'],
  [`/tocsin_${'a'.repeat(49)}`, '/tocsin_[redacted]'],
  [`/api/v1/me/tocsin_${'Z9'.repeat(20)}/tocsin_x`, '/api/v1/me/tocsin_[redacted]/tocsin_[redacted]'],
  [`/${'x'.repeat(1_000)}`, `/${'x'.repeat(499)}`],
])('the URL %s is logged as %s', (url, path) => expect(redactPath(url)).toBe(path));

test('an API key is redacted before the path is shortened', () => {
  expect(redactPath(`/${'x'.repeat(480)}/tocsin_${'a'.repeat(49)}`)).not.toContain('aaa');
});
