import { type Html, html } from '@tocsin/html';
import type { PageStatus, ShownStatus } from '../domain/shown-status.ts';
import type { Texts } from './messages/texts.ts';
import { type Look, STATUS_COLORS } from './status-colors.ts';

const NOT_KNOWN = html`<circle cx="10" cy="10" r="9" fill="currentColor"/><path d="M6 10h8"/>`;

/** Icons of 20 by 20 pixels. Each status has a different shape, because color alone is not accessible. */
const ICONS: Readonly<Record<ShownStatus, Html>> = {
  operational: html`<circle cx="10" cy="10" r="9" fill="currentColor"/><path d="M5.8 10.4l2.8 2.8 5.6-6"/>`,
  under_maintenance: html`<rect x="1" y="1" width="18" height="18" rx="5" fill="currentColor"/><path d="M7 6v8M13 6v8"/>`,
  degraded_performance: html`<path class="solid" d="M10 1l9 9-9 9-9-9z"/><path d="M6 10.8c1.4-2 2.7-2 4-.8s2.6 1.2 4-.8"/>`,
  partial_outage: html`<path class="solid" d="M10 1.5L19.5 18H.5z"/><path d="M10 7.5v4.5M10 14.8v.2"/>`,
  major_outage: html`<path class="solid" d="M6.3 1h7.4L19 6.3v7.4L13.7 19H6.3L1 13.7V6.3z"/><path d="M7 7l6 6M13 7l-6 6"/>`,
  no_data: NOT_KNOWN,
  not_monitored: NOT_KNOWN,
};

/** Returns how a status is drawn. */
export function lookOf(status: PageStatus): Look {
  switch (status) {
    case 'no_data':
    case 'not_monitored':
    case 'partly_known':
    case 'no_components':
      return 'unknown';
    default:
      return status;
  }
}

/** Returns the CSS class of a status. */
export function classOf(status: PageStatus): string {
  return `is-${lookOf(status)}`;
}

/** Returns the icon of a page in browser tabs as a `data:` URL: a dot in the color of the status. */
export function faviconOf(status: PageStatus): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="${STATUS_COLORS[lookOf(status)].tab}"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** Shapes of all icons. A page contains the shapes only once, because a long page has hundreds of icons. */
export const ICON_SHAPES: Html = html`<svg class="shapes" width="0" height="0" aria-hidden="true">${Object.entries(
  ICONS,
).map(([status, icon]) => html`<symbol id="icon-${status}" viewBox="0 0 20 20">${icon}</symbol>`)}</svg>`;

/** Renders the icon of a status. Screen readers ignore it, because the text next to it has the same meaning. */
export function iconOf(status: ShownStatus): Html {
  return html`<svg class="icon ${classOf(status)}" width="20" height="20" aria-hidden="true"><use href="#icon-${status}"/></svg>`;
}

/** Renders the icon and the label of a status, or the icon and another text. */
export function statusBadge(status: ShownStatus, texts: Texts, text: string = texts.text(`status.${status}`)): Html {
  return html`<span class="status ${classOf(status)}">${iconOf(status)} <span>${text}</span></span>`;
}
