import { type Html, html } from '@tocsin/html';
import type { Texts } from './messages/texts.ts';

/** Renders a time in UTC, both as text and in machine-readable form. The page's script shows it in local time. */
export function timeHtml(time: Date, texts: Texts): Html {
  return html`<time datetime="${time.toISOString()}">${texts.time(time)}</time>`;
}

/**
 * Renders a time like timeHtml(), but never as "5 min ago", because it is part of a range or follows a word such as
 * "since".
 */
export function absoluteTimeHtml(time: Date, texts: Texts): Html {
  return html`<time datetime="${time.toISOString()}" data-absolute>${texts.time(time)}</time>`;
}
