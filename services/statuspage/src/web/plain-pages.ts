import { html } from '@tocsin/html';
import { type Document, pageShell } from './page-shell.ts';

/**
 * Page for a name that does not exist or whose page is not public. Both cases have the same text, so that visitors
 * can't distinguish them.
 */
export const NOT_FOUND_PAGE = plainPage(
  'There is no status page here',
  'The address may be misspelled, or the page may not be public.',
);

export const TROUBLE_PAGE = plainPage(
  'This page is temporarily unavailable',
  'We could not load this page. This does not reflect the status of the monitored systems. Please try again in a minute.',
);

/** Page at the path `/` of the installation's host. */
export const LANDING_PAGE = pageShell({
  title: 'Tocsin',
  theme: 'system',
  body: html`
  <main class="page lost">
    <h1>Tocsin</h1>
    <p class="muted">Uptime monitoring and status pages.</p>
    <p><a href="/docs">API reference</a> · <a href="/openapi.yaml">OpenAPI document</a></p>
  </main>`,
});

function plainPage(title: string, text: string): Document {
  return pageShell({
    title,
    theme: 'system',
    body: html`
  <main class="page lost">
    <h1>${title}</h1>
    <p class="muted">${text}</p>
  </main>`,
  });
}
