import { html } from '@tocsin/html';
import { type Texts, textsOf } from './messages/texts.ts';
import { type Document, pageShell } from './page-shell.ts';

/** Page for an unknown address below an existing status page. */
export function notFoundPage(texts: Texts): Document {
  return plainPage(texts, texts.text('not_found.title'), texts.text('not_found.text'));
}

/**
 * Page for a name that does not exist or whose page is not public. Both cases have the same text, so that visitors
 * can't distinguish them.
 */
export const NOT_FOUND_PAGE = notFoundPage(textsOf('en'));

export const TROUBLE_PAGE = plainPage(
  textsOf('en'),
  textsOf('en').text('unavailable.title'),
  textsOf('en').text('unavailable.text'),
);

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

function plainPage(texts: Texts, title: string, text: string): Document {
  return pageShell({
    texts,
    title,
    theme: 'system',
    body: html`
  <main class="page lost">
    <h1>${title}</h1>
    <p class="muted">${text}</p>
  </main>`,
  });
}
