import { html } from '@tocsin/html';
import { expect, test } from 'vitest';
import { textsOf } from './messages/texts.ts';
import { pageShell } from './page-shell.ts';

test.each([
  [{}, "img-src 'none'"],
  [{ icon: 'data:,' }, 'img-src data:'],
  [{ hasImages: true }, "img-src 'self'"],
  [{ hasImages: true, icon: 'data:,' }, "img-src 'self' data:"],
])('the content security policy of a page with the images %j contains %s', (images, directive) => {
  const shell = { texts: textsOf('en'), title: 'Acme', theme: 'system', body: html`` } as const;
  const { contentSecurityPolicy } = pageShell({ ...shell, ...images });
  expect(contentSecurityPolicy.split('; ')).toContain(directive);
});
