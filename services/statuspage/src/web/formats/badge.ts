import type { PageStatus } from '../../domain/shown-status.ts';
import { STATUS_COLORS } from '../status-colors.ts';
import { lookOf } from '../status-look.ts';

/** Maximum number of characters of a name in a badge, so that the badge stays short. */
const MAX_LABEL = 40;

/** Loads the library when it is first used, because its tables of character widths take about 8 MiB. */
const badgeMaker = () => import('badge-maker');

/** Renders a badge as SVG: a name and the status of a page or component. */
export async function badge(name: string, status: PageStatus, message: string): Promise<string> {
  const letters = [...name];
  const label = letters.length > MAX_LABEL ? `${letters.slice(0, MAX_LABEL - 1).join('')}…` : name;
  const { makeBadge } = await badgeMaker();
  return makeBadge({ label, message, color: STATUS_COLORS[lookOf(status)].light, style: 'flat' });
}
