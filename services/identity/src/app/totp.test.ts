import { expect, test } from 'vitest';
import { codeAt, otpauthUri, stepAt, stepOfCode, toBase32 } from './totp.ts';

/** Secret of the test vectors in RFC 4226 appendix D and RFC 6238 appendix B. */
const SECRET = Buffer.from('12345678901234567890');

test.each(
  ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'].map(
    (code, counter) => [counter, code] as const,
  ),
)('the code for counter %i is %s (RFC 4226 appendix D)', (counter, code) => {
  expect(codeAt(SECRET, counter)).toBe(code);
});

test.each([
  ['1970-01-01T00:00:59Z', '287082'],
  ['2005-03-18T01:58:29Z', '081804'],
  ['2005-03-18T01:58:31Z', '050471'],
  ['2009-02-13T23:31:30Z', '005924'],
  ['2033-05-18T03:33:20Z', '279037'],
  ['2603-10-11T11:33:20Z', '353130'],
])('the code at %s is %s (RFC 6238 appendix B)', (time, code) => {
  expect(codeAt(SECRET, stepAt(new Date(time)))).toBe(code);
});

test('a code is accepted one step before and one step after its own step, but only once', () => {
  const now = new Date('2026-11-23T12:00:00Z');
  const step = stepAt(now);
  const find = (of: number, lastStep = 0) => stepOfCode(SECRET, codeAt(SECRET, of), now, lastStep);
  expect([-2, -1, 0, 1, 2].map((offset) => find(step + offset))).toEqual([
    undefined,
    step - 1,
    step,
    step + 1,
    undefined,
  ]);
  expect([find(step, step - 1), find(step, step), find(step - 1, step)]).toEqual([step, undefined, undefined]);
  expect(stepOfCode(SECRET, '', now, 0)).toBeUndefined();
});

test.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('%j in base32 is %s (RFC 4648 §10)', (text, base32) => {
  expect(toBase32(Buffer.from(text))).toBe(base32);
});

test('the URI for apps names the installation and the user', () => {
  expect(otpauthUri(SECRET, { email: 'jane+x@example.com', host: 'tocsin.example' })).toBe(
    'otpauth://totp/Tocsin%20(tocsin.example):jane%2Bx%40example.com' +
      '?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Tocsin%20(tocsin.example)',
  );
});
