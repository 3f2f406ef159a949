import { type Html, html } from '@tocsin/html';

const DATE_AND_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' });

/** Renders a time in UTC, both as text and in machine-readable form. The page's script shows it in local time. */
export function timeHtml(time: Date): Html {
  return html`<time datetime="${time.toISOString()}">${DATE_AND_TIME.format(time)} UTC</time>`;
}

/** Returns the day of a time in UTC, such as "Thursday 1 January 2026". */
export function dayText(time: Date): string {
  return DATE.format(time);
}
