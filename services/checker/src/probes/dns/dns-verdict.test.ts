import { expect, test } from 'vitest';
import { CheckFailure } from '../../domain/check-failure.ts';
import { type DnsRecord, dnsProblem } from './dns-verdict.ts';

function problemOf(expectedRecords: string[], records: DnsRecord[], responseCode = 0) {
  return dnsProblem({ name: 'example.com', recordType: 'TXT', expectedRecords }, { responseCode, records });
}

const two = [{ text: '10 Mail.example', short: 'Mail.example' }, { text: 'second' }];

test.each([
  ['no records', []],
  ['one of several records', ['second']],
  ['all records in another order', ['second', '10 mail.example.']],
  ['a short form', ['mail.example']],
  ['the same record twice', ['second', 'second']],
  ['a different case, quotes and a trailing dot', [' "SECOND". ']],
])('a response with two records meets the expectation of %s', (_, expected) => {
  expect(problemOf(expected, two)).toBeUndefined();
});

test('missing records are reported with the records that were found', () => {
  expect(problemOf(['second', 'third', 'fourth'], two)).toBe(
    'TXT of example.com: expected third, fourth, found 10 Mail.example, second',
  );
});

test('an IPv6 address matches in any notation', () => {
  expect(problemOf(['2001:0db8::0007'], [{ text: '2001:db8:0::7' }])).toBeUndefined();
});

test('the error text contains shortened records without control characters', () => {
  const records = Array.from({ length: 50 }, (_, n) => ({ text: `\u001b[31m${n}${'x'.repeat(500)}` }));
  const words = problemOf(['a'], records) ?? '';
  expect(words).toMatch(/^TXT of example.com: expected a, found \?\[31m0x+…, .* and 45 more$/);
  expect(words.length).toBeLessThan(700);
});

test('a missing name or record is a failure', () => {
  expect(problemOf([], [], 3)).toBe('example.com does not exist (NXDOMAIN)');
  expect(problemOf([], [])).toBe('example.com has no TXT record');
});

test.each([
  [2, 'SERVFAIL'],
  [5, 'REFUSED'],
  [11, 'code 11'],
])('response code %i is an error: %s', (code, words) => {
  expect(() => problemOf([], two, code)).toThrow(
    new CheckFailure('error', `the name server answered ${words} for example.com`),
  );
});
