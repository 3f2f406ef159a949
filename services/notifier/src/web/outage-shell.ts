import { createHash } from 'node:crypto';
import { Html, html } from '@tocsin/html';
import { STYLES } from './outage-styles.ts';

/**
 * A complete HTML document with its content security policy. The policy forbids scripts and external resources, and
 * allows forms only to this origin.
 */
export interface Document {
  readonly text: string;
  readonly contentSecurityPolicy: string;
}

const STYLE_HASH = createHash('sha256').update(STYLES).digest('base64');
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;

/**
 * Returns a document that search engines must not list and whose links do not send a referrer. Its language is English
 * by default.
 */
export function documentOf(
  title: string,
  body: Html,
  { locale, direction }: { locale: string; direction: 'ltr' | 'rtl' } = { locale: 'en', direction: 'ltr' },
): Document {
  const text = html`<!doctype html>
<html lang="${locale}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
${new Html(`<style>${STYLES}</style>`)}
</head>
<body>${body}
</body>
</html>
`.toString();
  return { text, contentSecurityPolicy: POLICY };
}

/** Page for an invalid link and for a link to deleted alerts. */
export const NOT_FOUND_PAGE = plainPage(
  'There is nothing at this link',
  'It may be cut off, or too old. Open the link in the message again, all of it.',
);

export const UNAVAILABLE_PAGE = plainPage(
  'This page is temporarily unavailable',
  'It does not say anything about the monitor. Please try again in a minute.',
);

function plainPage(title: string, text: string): Document {
  return documentOf(
    title,
    html`
<main class="lost">
  <h1>${title}</h1>
  <p class="muted">${text}</p>
</main>`,
  );
}
