import { html } from '@tocsin/html';
import { expect, test } from 'vitest';
import { textsOf } from './messages/texts.ts';
import { pageShell } from './page-shell.ts';

function imageSources(...images: string[]): string | undefined {
  const { contentSecurityPolicy } = pageShell({
    texts: textsOf('en'),
    title: 'Acme',
    theme: 'system',
    images,
    body: html``,
  });
  return contentSecurityPolicy.split('; ').find((directive) => directive.startsWith('img-src '));
}

test('the image policy lists each origin of the image URLs once', () => {
  expect(imageSources('https://cdn.example.com/a.png', 'https://cdn.example.com/b.png', 'http://x.example:81/c')).toBe(
    'img-src https://cdn.example.com http://x.example:81',
  );
});

test.each(['https://x;sandbox/l.png', 'https://x,y/', 'https://*/', "https://'unsafe-inline'/", 'https:x', 'nonsense'])(
  'the invalid image URL %s is not added to the policy',
  (image) => {
    expect(imageSources(image)).toBe("img-src 'none'");
    expect(imageSources(image, 'https://cdn.example.com/a.png')).toBe('img-src https://cdn.example.com');
  },
);
