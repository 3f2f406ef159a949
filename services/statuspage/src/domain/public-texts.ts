import type { ComponentStatus } from '@tocsin/enums';
import { spellDuration } from '@tocsin/text';
import { worstStatus } from './component-status.ts';
import type { AffectedComponent, DisruptionUpdate, ShownDisruption } from './disruption.ts';

const STATUS_TEXTS: Readonly<Record<ComponentStatus, string>> = {
  operational: 'disruption',
  under_maintenance: 'maintenance',
  degraded_performance: 'degraded performance',
  partial_outage: 'partial outage',
  major_outage: 'major outage',
};

const MAX_NAMES = 3;

/** Returns the title of a page with this name, such as "Acme status". */
export function pageTitle(name: string): string {
  return /\bstatus$/i.test(name) ? name : `${name} status`;
}

/**
 * Returns the title of a disruption for visitors of a page. The title of an automatic disruption is replaced with the
 * names and the status of the page's components, such as "Search: degraded performance". The title is unchanged if a
 * person changed it, or if the disruption affects no component of the page.
 */
export function publicTitle(disruption: ShownDisruption, components: readonly AffectedComponent[]): string {
  const { title, automaticTitle, omittedComponents } = disruption;
  if (!automaticTitle || components.length === 0) return title;
  const worst = worstStatus(components.map(({ status }) => status));
  return `${listNames(components, omittedComponents)}: ${STATUS_TEXTS[worst]}`;
}

const FLAPPING_TEXTS: Readonly<Record<ComponentStatus, string>> = {
  operational: 'disrupted',
  under_maintenance: 'under maintenance',
  degraded_performance: 'degraded',
  partial_outage: 'partly down',
  major_outage: 'down',
};

/** Returns the title of ended automatic disruptions of the same components that are shown as one entry. */
export function flappingTitle(
  disruptions: readonly ShownDisruption[],
  components: readonly AffectedComponent[],
): string {
  const worst = worstStatus(disruptions.flatMap((disruption) => disruption.components.map(({ status }) => status)));
  const total = disruptions.reduce((sum, one) => sum + timeOf(one), 0);
  const verb = components.length === 1 ? 'was' : 'were';
  const times = `${disruptions.length} times, ${spellDuration(total)} in total`;
  return `${listNames(components, 0)} ${verb} ${FLAPPING_TEXTS[worst]} ${times}`;
}

function timeOf({ startedAt, resolvedAt }: ShownDisruption): number {
  return resolvedAt ? resolvedAt.getTime() - startedAt.getTime() : 0;
}

/** Returns the text of a timeline entry for visitors of a page. Texts that people wrote stay unchanged. */
export function publicText(
  disruption: ShownDisruption,
  update: DisruptionUpdate,
  components: readonly AffectedComponent[],
): string {
  if (!update.automatic || components.length === 0) return update.body;
  const { updates, hasOlderUpdates, omittedComponents, startedAt, resolvedAt } = disruption;
  if (update.id === updates.at(-1)?.id && !hasOlderUpdates) {
    const verb = components.length + omittedComponents === 1 ? 'is' : 'are';
    return `${listNames(components, omittedComponents)} ${verb} not working as expected. We are investigating.`;
  }
  if (update.status !== 'resolved') return update.body;
  if (!resolvedAt) return 'This is resolved.';
  return `This is resolved. It lasted ${spellDuration(resolvedAt.getTime() - startedAt.getTime())}.`;
}

function listNames(components: readonly AffectedComponent[], omitted: number): string {
  const shown = components.slice(0, MAX_NAMES).map(({ name }) => name);
  const more = components.length + omitted - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
