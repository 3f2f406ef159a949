import { asOfNotice, type Html } from '@tocsin/html';
import type { Texts } from './messages/texts.ts';

/** Renders the hidden notice that the gateway or the page's script shows if the page may be outdated. */
export function asOfHtml(texts: Texts): Html {
  return asOfNotice((time) => texts.html('as_of.notice', { time }));
}
