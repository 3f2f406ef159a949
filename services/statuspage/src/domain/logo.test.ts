import { expect, test } from 'vitest';
import { logoAtPath, logoFormatOf, logoPath, logoPause } from './logo.ts';

const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

test.each([
  ['png', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'],
  ['jpeg', '\xff\xd8\xff\xe0\0\x10JFIF'],
  ['gif', 'GIF87a\x01\0'],
  ['gif', 'GIF89a\x01\0'],
  ['webp', 'RIFF\x24\0\0\0WEBPVP8 '],
  ['svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ['svg', '\xef\xbb\xbf<?xml version="1.0"?>\n<!-- Made by <hand> -->\n<svg>'],
  ['svg', '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd" [<!ENTITY a "b">]>\n<svg\n>'],
] as const)('the format %s is recognized in %j', (format, text) => {
  expect(logoFormatOf(bytes(text))).toBe(format);
});

test.each([
  '',
  '<html><svg></svg></html>',
  '<svgx>',
  '<!-- <svg>',
  `${' '.repeat(4_096)}<svg>`,
  'RIFF\x24\0\0\0WAVEfmt ',
  'PNG\r\n',
  'BM',
  '%PDF-1.7',
])('%j is not recognized as a logo', (text) => {
  expect(logoFormatOf(bytes(text))).toBeUndefined();
});

test('hostile files are examined within a second', () => {
  const started = performance.now();
  for (const text of [' ', '<!--', '<!DOCTYPE', '<?', '<!DOCTYPE[', '<!-- -->']) {
    expect(logoFormatOf(bytes(text.repeat(20_000)))).toBeUndefined();
  }
  expect(performance.now() - started).toBeLessThan(1_000);
});

test('logoAtPath() returns the logo for a path from logoPath(), and undefined for any other path', () => {
  const logo = { hash: '0123456789abcdef0123456789abcdef', format: 'svg' } as const;
  expect(logoPath(logo)).toBe('logo/0123456789abcdef0123456789abcdef.svg');
  expect(logoAtPath(logoPath(logo))).toEqual(logo);
  for (const path of ['logo', 'logo/x.svg', `logo/${logo.hash}`, `logo/${logo.hash}.html`, `/${logoPath(logo)}`]) {
    expect(logoAtPath(path), path).toBeUndefined();
  }
});

test('a logo is fetched daily, or after failed fetches at intervals that grow from 5 minutes to a day', () => {
  const minutes = [0, 1, 2, 3, 9, 10, 100].map((failures) => logoPause(failures) / 60_000);
  expect(minutes).toEqual([1440, 5, 10, 20, 1280, 1440, 1440]);
});
