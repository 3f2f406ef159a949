import { type Html, html } from '@tocsin/html';

const FORMAT = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
});

/** Renders a time in UTC, both as text and in machine-readable form. */
export function timeHtml(time: Date): Html {
  return html`<time datetime="${time.toISOString()}">${FORMAT.format(time)} UTC</time>`;
}
