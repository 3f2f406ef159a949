import { makeBadge } from 'badge-maker';
import type { PageStatus } from '../../domain/shown-status.ts';
import { STATUS_COLORS } from '../status-colors.ts';
import { lookOf } from '../status-look.ts';

/** Maximum number of characters of a name in a badge, so that the badge stays short. */
const MAX_LABEL = 40;

/** Renders a badge as SVG: a name and the status of a page or component. */
export function badge(name: string, status: PageStatus, message: string): string {
  const letters = [...name];
  const label = letters.length > MAX_LABEL ? `${letters.slice(0, MAX_LABEL - 1).join('')}…` : name;
  return makeBadge({ label, message, color: STATUS_COLORS[lookOf(status)].light, style: 'flat' });
}
