import { makeBadge } from 'badge-maker';
import type { PageStatus } from '../../domain/shown-status.ts';

/** Background of a badge, by status. The contrast of its white text is at least 4.5. */
const COLORS: Readonly<Record<PageStatus, string>> = {
  operational: '#15803d',
  under_maintenance: '#1d4ed8',
  degraded_performance: '#a16207',
  partial_outage: '#c2410c',
  major_outage: '#b91c1c',
  partly_known: '#596270',
  no_data: '#596270',
  not_monitored: '#596270',
  no_components: '#596270',
};

/** Maximum number of characters of a name in a badge, so that the badge stays short. */
const MAX_LABEL = 40;

/** Renders a badge as SVG: a name and the status of a page or component. */
export function badge(name: string, status: PageStatus, message: string): string {
  const letters = [...name];
  const label = letters.length > MAX_LABEL ? `${letters.slice(0, MAX_LABEL - 1).join('')}…` : name;
  return makeBadge({ label, message, color: COLORS[status], style: 'flat' });
}
