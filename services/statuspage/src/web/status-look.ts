import type { ComponentStatus } from '@tocsin/enums';
import { type Html, html } from '@tocsin/html';

interface StatusStyle {
  /** Of one component. */
  readonly label: string;
  /** Of the whole page. */
  readonly headline: string;
  /** Drawn in a box of 20 by 20. Each status has its own shape: colour alone never carries it. */
  readonly icon: Html;
}

const LOOKS: Record<ComponentStatus, StatusStyle> = {
  operational: {
    label: 'Operational',
    headline: 'All systems operational',
    icon: html`<circle cx="10" cy="10" r="9" fill="currentColor"/><path d="M5.8 10.4l2.8 2.8 5.6-6"/>`,
  },
  under_maintenance: {
    label: 'Under maintenance',
    headline: 'Maintenance in progress',
    icon: html`<rect x="1" y="1" width="18" height="18" rx="5" fill="currentColor"/><path d="M7 6v8M13 6v8"/>`,
  },
  degraded_performance: {
    label: 'Degraded performance',
    headline: 'Some systems are degraded',
    icon: html`<path class="solid" d="M10 1l9 9-9 9-9-9z"/><path d="M6 10.8c1.4-2 2.7-2 4-.8s2.6 1.2 4-.8"/>`,
  },
  partial_outage: {
    label: 'Partial outage',
    headline: 'Partial outage',
    icon: html`<path class="solid" d="M10 1.5L19.5 18H.5z"/><path d="M10 7.5v4.5M10 14.8v.2"/>`,
  },
  major_outage: {
    label: 'Major outage',
    headline: 'Major outage',
    icon: html`<path class="solid" d="M6.3 1h7.4L19 6.3v7.4L13.7 19H6.3L1 13.7V6.3z"/><path d="M7 7l6 6M13 7l-6 6"/>`,
  },
};

export function labelOf(status: ComponentStatus): string {
  return LOOKS[status].label;
}

export function headlineOf(status: ComponentStatus): string {
  return LOOKS[status].headline;
}

/** Renders the icon alone; a text beside it has the same meaning. */
export function iconOf(status: ComponentStatus): Html {
  return html`<svg class="icon is-${status}" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">${LOOKS[status].icon}</svg>`;
}

/** Renders icon and label. */
export function statusBadge(status: ComponentStatus): Html {
  return html`<span class="status is-${status}">${iconOf(status)} <span>${labelOf(status)}</span></span>`;
}
