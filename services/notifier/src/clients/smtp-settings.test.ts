import { expect, test } from 'vitest';
import { parseSender, parseSmtpUrl } from './smtp-settings.ts';

test.each([
  ['', undefined],
  ['smtp://mail.example.com', 'smtp://mail.example.com'],
  ['smtps://jane:p%40ss@mail.example.com:465', 'smtps://jane:p%40ss@mail.example.com:465'],
])('%j is a valid SMTP URL', (text, url) => expect(parseSmtpUrl(text)).toBe(url));

test.each(['mail.example.com', 'https://s3cret@mail.example.com', 'smtp:///s3cret', 'smtp:// s3cret'])(
  'the SMTP URL %j is invalid, and the error does not contain it',
  (text) => {
    expect(() => parseSmtpUrl(text)).toThrow('must be an address such as smtp://');
    expect(() => parseSmtpUrl(text)).not.toThrow('s3cret');
  },
);

test.each(['tocsin@example.com', 'Tocsin <tocsin@example.com>', 'tocsin@localhost'])('%j is a valid sender', (text) =>
  expect(parseSender(text)).toBe(text),
);

test.each(['', 'Tocsin', 'Tocsin <>', 'a@example.com, b@example.com', 'Toc\nsin <a@example.com>'])(
  'the sender %j is invalid',
  (text) => expect(() => parseSender(text)).toThrow('must be a mail address'),
);
