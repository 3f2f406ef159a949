import { expect, test } from 'vitest';
import { getsMails, mailboxOf, maskAddress } from './mail-recipient.ts';

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

test.each([
  ['Jane@Example.com', 'jane@example.com'],
  ['jane+a+b@example.com', 'jane@example.com'],
  ['j.a.ne@gmail.com', 'j.a.ne@gmail.com'],
  ['+jane@example.com', '+jane@example.com'],
  ['"a+b@c"@example.com', '"a@example.com'],
])('the mailbox of %s is %s', (address, mailbox) => expect(mailboxOf(address)).toBe(mailbox));
