import { html } from '@tocsin/html';
import { type Document, pageShell } from './page-shell.ts';

/** For a page that does not exist, and in the very same words for one that the public may not see. */
export const NOT_FOUND_PAGE = plainPage(
  'There is no status page here',
  'The address may be misspelled, or the page may not be public.',
);

export const TROUBLE_PAGE = plainPage(
  'This page can’t be shown right now',
  'That is our trouble, and says nothing about the systems you came to ask about. Please try again in a minute.',
);

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
