import type { ComponentStatus } from '@tocsin/enums';
import type { FieldErrorCollector } from '@tocsin/errors';
import { type AffectedComponent, worstFirst } from './component.ts';
import { type Disruption, type DisruptionStatus, isEnd, MAX_COMPONENTS } from './disruption.ts';

/** A page that a disruption is to be published to, and all components of it that it is to touch. */
export interface Publication {
  readonly statusPageId: string;
  readonly components: readonly AffectedComponent[];
}

/** The same as somebody asks for it. */
export interface WantedPublication {
  readonly statusPageId: string | undefined;
  readonly components: readonly WantedComponent[] | undefined;
}

export interface WantedComponent {
  /** Empty when none was sent. */
  readonly id: string;
  /** Undefined when none was sent. */
  readonly status: ComponentStatus | undefined;
}

interface Whole {
  readonly statusPageId: string;
  readonly components: readonly WantedComponent[];
}

/** Whether both parts were sent; that one alone was is a problem, that neither was is none. */
export function isWhole(wanted: WantedPublication, problems: FieldErrorCollector): wanted is Whole {
  const { statusPageId, components } = wanted;
  if (statusPageId !== undefined && components !== undefined) return true;
  if (components !== undefined) problems.add('status_page_id', 'is required together with components');
  if (statusPageId !== undefined) problems.add('components', 'is required together with status_page_id');
  return false;
}

/**
 * What is wanted, with names; problems stand at their paths in the public contract.
 * `names` are those of the page's components by id; undefined: there is no such page.
 */
export function publicationOf(
  { statusPageId, components }: Whole,
  names: ReadonlyMap<string, string> | undefined,
  problems: FieldErrorCollector,
): Publication {
  if (!names) problems.add('status_page_id', 'is not a status page of this organization');
  if (components.length > MAX_COMPONENTS) {
    problems.add('components', `must be at most ${MAX_COMPONENTS}, and has ${components.length}`);
    return { statusPageId, components: [] };
  }
  const seen = new Set<string>();
  const affected = components.map(({ id: sent, status }, index): AffectedComponent => {
    const id = sent.toLowerCase();
    const name = names?.get(id);
    if (id === '') problems.add(`components.${index}.id`, 'is required');
    else if (names && name === undefined) problems.add(`components.${index}.id`, 'is not a component of this page');
    else if (seen.has(id)) problems.add(`components.${index}.id`, 'appears twice');
    seen.add(id);
    if (!status) problems.add(`components.${index}.status`, 'is required');
    return { id, name: name ?? '', statusPageId, status: status ?? 'operational' };
  });
  return { statusPageId, components: affected };
}

/**
 * Where a disruption is published and what it touches once `publication` is added and its status is `status`. A page
 * that it was on already gets new components, other pages keep theirs.
 */
export function publish(
  { affectedComponents, statusPageIds }: Pick<Disruption, 'affectedComponents' | 'statusPageIds'>,
  publication: Publication | undefined,
  status: DisruptionStatus,
): Pick<Disruption, 'affectedComponents' | 'statusPageIds'> {
  if (!publication) return { affectedComponents, statusPageIds };
  const { statusPageId, components } = publication;
  const known = new Map(affectedComponents.map((component) => [component.id, component.status]));
  // An end makes everything operational, whatever is sent with it; what it was before is not forgotten for that.
  const sent = isEnd(status)
    ? components.map((component) => ({ ...component, status: known.get(component.id) ?? component.status }))
    : components;
  const elsewhere = affectedComponents.filter((component) => component.statusPageId !== statusPageId);
  return {
    affectedComponents: worstFirst([...elsewhere, ...sent]),
    statusPageIds: [...new Set([...statusPageIds, statusPageId])],
  };
}
