import { FieldErrorCollector, notFound } from '@tocsin/errors';
import { LAST, putComponent, removeComponent } from './arrange.ts';
import { type ComponentSettings, checkComponent } from './check-component.ts';
import { countLinks, problemOfLinks } from './link-limit.ts';
import { problemOfPosition } from './position.ts';
import type { Placed, PlacedComponent } from './tree.ts';

interface Place {
  /** Group of the component; undefined for the top level. */
  readonly groupId: string | undefined;
  /** 0-based position among its siblings; if it is too large, the component becomes the last one. */
  readonly position: number;
}

export type NewComponent = ComponentSettings & Pick<Place, 'groupId'> & Partial<Place>;

/**
 * Changes to a component. Absent fields stay unchanged. A `description`, `startDate` or `groupId` that is present but
 * undefined is cleared.
 */
export type ComponentChanges = Partial<ComponentSettings & Place>;

/** Returns whether an id is a monitor of the page's organization. */
type IsMonitor = (id: string) => boolean;

/**
 * Adds a component, by default as the last one of its group or of the top level.
 * @throws ServiceError `invalid`
 */
export function addComponent(page: Placed, id: string, input: NewComponent, isMonitor: IsMonitor): Placed {
  check(page, { before: undefined, changes: input, isMonitor });
  return putComponent(page, { ...input, id, position: input.position ?? LAST });
}

/**
 * Changes a component. By default it keeps its position, or becomes the last one if its group changes.
 * @throws ServiceError `not_found` or `invalid`
 */
export function changeComponent(page: Placed, id: string, changes: ComponentChanges, isMonitor: IsMonitor): Placed {
  const component = componentOf(page, id);
  check(page, { before: component, changes, isMonitor });
  const changed = { ...component, ...changes };
  const stays = changed.groupId === component.groupId;
  return putComponent(page, { ...changed, position: changes.position ?? (stays ? component.position : LAST) });
}

/**
 * Removes a component.
 * @throws ServiceError `not_found`
 */
export function deleteComponent(page: Placed, id: string): Placed {
  return removeComponent(page, componentOf(page, id).id);
}

/**
 * Returns the component with this id.
 * @throws ServiceError `not_found`
 */
export function componentOf<Component extends PlacedComponent>(
  { components }: { readonly components: readonly Component[] },
  id: string,
): Component {
  const component = components.find((one) => one.id === id);
  if (!component) throw notFound('component');
  return component;
}

interface Change {
  /** The changed component; undefined for a new one. */
  readonly before: PlacedComponent | undefined;
  readonly changes: ComponentChanges;
  readonly isMonitor: IsMonitor;
}

function check({ groups, components }: Placed, { before, changes, isMonitor }: Change): void {
  const errors = new FieldErrorCollector();
  checkComponent(changes, { prefix: '', isMonitor, nameBefore: before?.name }, errors);
  if (changes.monitors) {
    const links = countLinks(components);
    const added = changes.monitors.length - (before?.monitors.length ?? 0);
    errors.add('monitors', problemOfLinks(links, links + added));
  }
  errors.add('position', problemOfPosition(changes.position));
  const { groupId } = changes;
  if (groupId !== undefined && !groups.some(({ id }) => id === groupId)) {
    errors.add('component_group_id', 'is not a group of this page');
  }
  errors.throwIfAny();
}
