import type { ComponentStatus } from '@tocsin/enums';
import { type FieldErrorCollector, invalid } from '@tocsin/errors';
import { type AffectedComponent, worstFirst } from './component.ts';
import { type Disruption, type DisruptionStatus, isEnd, MAX_COMPONENTS } from './disruption.ts';

/** Status page to publish a disruption to, with all affected components of that page. */
export interface Publication {
  readonly statusPageId: string;
  readonly components: readonly AffectedComponent[];
}

/** A publication in a request, before validation. */
export interface WantedPublication {
  readonly statusPageId: string | undefined;
  readonly components: readonly WantedComponent[] | undefined;
}

export interface WantedComponent {
  /** Component id; empty if the request has none. */
  readonly id: string;
  /** Component status; undefined if the request has none. */
  readonly status: ComponentStatus | undefined;
}

/** The pages to which a disruption is published, and the components that it affects on these pages. */
type Published = Pick<Disruption, 'affectedComponents' | 'statusPageIds' | 'hiddenPageIds'>;

interface Whole {
  readonly statusPageId: string;
  readonly components: readonly WantedComponent[];
}

/** Returns whether a request has both a page and components. Adds an error if it has only one of the two. */
export function isWhole(wanted: WantedPublication, problems: FieldErrorCollector): wanted is Whole {
  const { statusPageId, components } = wanted;
  if (statusPageId !== undefined && components !== undefined) return true;
  if (components !== undefined) problems.add('status_page_id', 'is required together with components');
  if (statusPageId !== undefined) problems.add('components', 'is required together with status_page_id');
  return false;
}

/**
 * Returns the requested publication with the names of its components. Adds an error for each invalid field. `names`
 * contains the name of each component of the page by id, or is undefined if the page does not exist.
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
 * Returns the pages and components of a disruption after removing it from a page.
 * @throws ServiceError `invalid` if the disruption is not published on that page.
 */
export function unpublish(
  { affectedComponents, statusPageIds, hiddenPageIds }: Published,
  statusPageId: string,
): Published {
  if (!statusPageIds.includes(statusPageId)) {
    throw invalid({ status_page_id: ['is not a page that it is published to'] });
  }
  return {
    affectedComponents: affectedComponents.filter((component) => component.statusPageId !== statusPageId),
    statusPageIds: statusPageIds.filter((id) => id !== statusPageId),
    hiddenPageIds: [...hiddenPageIds, statusPageId],
  };
}

/**
 * Returns the pages and components of a disruption after adding `publication` and setting `status`. The components of
 * the page in `publication` are replaced. The components of other pages do not change.
 */
export function publish(
  { affectedComponents, statusPageIds, hiddenPageIds }: Published,
  publication: Publication | undefined,
  status: DisruptionStatus,
): Published {
  if (!publication) return { affectedComponents, statusPageIds, hiddenPageIds };
  const { statusPageId, components } = publication;
  const known = new Map(affectedComponents.map((component) => [component.id, component.status]));
  // The components of an ended disruption are shown as operational, regardless of their stored statuses. The stored
  // statuses are not replaced, so that they apply again if the disruption is reopened.
  const sent = isEnd(status)
    ? components.map((component) => ({ ...component, status: known.get(component.id) ?? component.status }))
    : components;
  const elsewhere = affectedComponents.filter((component) => component.statusPageId !== statusPageId);
  return {
    affectedComponents: worstFirst([...elsewhere, ...sent]),
    statusPageIds: [...new Set([...statusPageIds, statusPageId])],
    hiddenPageIds: hiddenPageIds.filter((id) => id !== statusPageId),
  };
}
