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

/**
 * Renders the end of a period whose start absoluteTimeHtml() has rendered. If both are on the same day, only the time
 * of day is shown; the page's script decides this again for the visitor's time zone.
 */
export function endTimeHtml(end: Date, start: Date, texts: Texts): Html {
  const isSameDay = start.toISOString().slice(0, 10) === end.toISOString().slice(0, 10);
  const text = isSameDay ? texts.timeOfDay(end) : texts.time(end);
  return html`<time datetime="${end.toISOString()}" data-absolute data-from="${start.toISOString()}">${text}</time>`;
}
