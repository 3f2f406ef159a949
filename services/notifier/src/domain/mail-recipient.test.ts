import { expect, test } from 'vitest';
import { getsMails, maskAddress } from './mail-recipient.ts';

test.each([
  ['jane.doe@example.com', 'j***@example.com'],
  ['j@example.com', 'j***@example.com'],
  ['owner@localhost', 'o***@localhost'],
])('the address %s is masked as %s', (address, masked) => expect(maskAddress(address)).toBe(masked));

test.each([
  ['pending', false],
  ['confirmed', true],
  ['unsubscribed', false],
  ['refused', true],
] as const)('a recipient that is %s gets mails: %s', (status, expected) =>
  expect(getsMails({ status })).toBe(expected),
);
