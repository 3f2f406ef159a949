import { createHash } from 'node:crypto';
import { Html, html } from '@tocsin/html';
import { DOCS_SCRIPT } from './docs-script.ts';
import { STYLES } from './styles.ts';

/** Content security policy. It allows the inline style sheet and script, and the request for the search index. */
export const DOCS_POLICY = [
  "default-src 'none'",
  `style-src '${hashOf(STYLES)}'`,
  `script-src '${hashOf(DOCS_SCRIPT)}'`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

interface Page {
  readonly title: string;
  /** Navigation items, shown in a menu on small screens and beside the content on large screens. */
  readonly navigation: Html;
  readonly content: Html;
  /** CSS class of the content. */
  readonly kind?: string;
  /** Path of the page's Markdown version. */
  readonly markdown: string;
}

/**
 * Renders a page of the documentation. In a browser without scripts, everything works except the search, the copy
 * buttons, the stored language and the redirects from former anchors.
 */
export function renderPage({ title, navigation, content, kind = 'reference', markdown }: Page): string {
  const nav = (brand?: Html) => html`<nav aria-label="Documentation">${brand}${navigation}</nav>`;
  return html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}</title>
  <link rel="alternate" type="text/markdown" href="${markdown}">
  ${new Html(`<style>${STYLES}</style>`)}
</head>
<body>
  <a class="skip" href="#content">To the content</a>
  <div class="search" role="search"></div>
  <details class="menu"><summary>Tocsin documentation</summary>${nav()}</details>
  <div class="side">${nav(html`<p class="brand"><a href="/docs">Tocsin documentation</a></p>`)}</div>
  <main id="content" class="${kind}">
    ${content}
    <p class="muted">This page as <a href="${markdown}">Markdown</a></p>
  </main>
  ${new Html(`<script>${DOCS_SCRIPT}</script>`)}
</body>
</html>
`.toString();
}
