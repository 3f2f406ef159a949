import { expect, test } from 'vitest';
import { renderEmail } from './render-email.ts';

const letter = {
  subject: 'Shop is down',
  headline: 'Shop is down',
  color: '#D92D20',
  paragraphs: ['It does not answer.'],
  details: [
    { name: 'Since', value: '2026-01-01T10:00:00Z' },
    { name: 'Checks', value: 'https://shop.example.com/?a=1&b=2' },
  ],
  footer: 'Sent by Tocsin.',
};

test('the text part and the HTML part have the same content', () => {
  expect(renderEmail(letter).text).toBe(
    'Shop is down\n\nIt does not answer.\n\nSince: 2026-01-01T10:00:00Z\nChecks: https://shop.example.com/?a=1&b=2\n\n-- \nSent by Tocsin.\n',
  );
});

test('http(s) URLs become links, and HTML in text from tenants is escaped', () => {
  const evil = `<img src=x onerror="a('b')">`;
  const { html } = renderEmail({
    ...letter,
    headline: evil,
    paragraphs: [evil],
    details: [...letter.details, { name: evil, value: evil }, { name: 'Not one', value: 'javascript:alert(1)' }],
    footer: evil,
  });
  expect(html).toContain('href="https://shop.example.com/?a=1&amp;b=2"');
  expect(html).not.toContain('<img');
  expect(html).not.toContain('href="javascript');
  expect(html.match(/&lt;img src=x onerror=&quot;a\(&#39;b&#39;\)&quot;&gt;/g)).toHaveLength(5);
});

test('a subject has only one line', () => {
  expect(renderEmail({ ...letter, subject: 'a\r\nBcc: x@example.com' }).subject).toBe('a Bcc: x@example.com');
});

test('a text that is too long is truncated without splitting a character', () => {
  const value = `${'x'.repeat(1999)}😀${'y'.repeat(5000)}`;
  const { text, html } = renderEmail({ ...letter, details: [{ name: 'Error', value }] });
  for (const shown of [text, html]) {
    expect(shown).toContain(`${'x'.repeat(1999)}…`);
    expect(shown.length).toBeLessThan(6000);
  }
});
