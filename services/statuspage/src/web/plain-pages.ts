import { type Html, html } from '@tocsin/html';
import { type Texts, textsOf } from './messages/texts.ts';
import { type Document, pageShell } from './page-shell.ts';

/**
 * Page for an unknown address below an existing status page, with a link to the status page.
 * @param base Path of the status page, without a slash at the end.
 */
export function nothingBelowPage(texts: Texts, base: string): Document {
  const link = html`<p><a href="${base || '/'}">${texts.text('footer.current_status')}</a></p>`;
  return plainPage(texts, texts.text('not_found.below'), link);
}

/**
 * Page for a name that does not exist or whose page is not public. Both cases have the same text, so that visitors
 * can't distinguish them.
 */
export const NOT_FOUND_PAGE = textPage('not_found');

export const TROUBLE_PAGE = textPage('unavailable');

/** Page at the path `/` of the installation's host. */
export const LANDING_PAGE = pageShell({
  texts: textsOf('en'),
  title: 'Tocsin',
  theme: 'system',
  body: html`
  <main class="page lost">
    <h1>Tocsin</h1>
    <p class="muted">Uptime monitoring and status pages.</p>
    <p><a href="/docs">API reference</a> · <a href="/openapi.yaml">OpenAPI document</a></p>
  </main>`,
});

function textPage(kind: 'not_found' | 'unavailable'): Document {
  const texts = textsOf('en');
  return plainPage(texts, texts.text(`${kind}.title`), html`<p class="muted">${texts.text(`${kind}.text`)}</p>`);
}

function plainPage(texts: Texts, title: string, content: Html): Document {
  return pageShell({
    texts,
    title,
    theme: 'system',
    body: html`
  <main class="page lost">
    <h1>${title}</h1>
    ${content}
  </main>`,
  });
}
