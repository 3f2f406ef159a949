import { type Html, html } from '@tocsin/html';

/** Renders a time in UTC, to the minute. */
export function timeHtml(time: Date): Html {
  const [date, clock = ''] = time.toISOString().split('T');
  return html`<time datetime="${time.toISOString()}">${date} ${clock.slice(0, 5)} UTC</time>`;
}
