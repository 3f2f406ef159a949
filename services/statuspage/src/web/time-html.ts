import { type Html, html } from '@tocsin/html';
import type { Texts } from './messages/texts.ts';

/** Renders a time in UTC, both as text and in machine-readable form. The page's script shows it in local time. */
export function timeHtml(time: Date, texts: Texts): Html {
  return html`<time datetime="${time.toISOString()}">${texts.time(time)}</time>`;
}
