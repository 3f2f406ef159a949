import { FieldErrorCollector } from '@tocsin/errors';
import { problemOfLine } from '@tocsin/text';
import { type ComponentSettings, checkComponent } from './check-component.ts';
import { countLinks, problemOfLinks } from './link-limit.ts';
import type { MonitorLink, Placed, PlacedComponent, PlacedGroup, Structure } from './tree.ts';

/** A requested component. Without an id, it may be new or match an existing component. */
export interface WantedComponent extends ComponentSettings {
  readonly id: string | undefined;
}

export type WantedEntry =
  | {
      readonly kind: 'group';
      readonly id: string | undefined;
      readonly name: string;
      readonly defaultOpen: boolean | undefined;
      readonly components: readonly WantedComponent[];
    }
  | ({ readonly kind: 'component' } & WantedComponent)
  | { readonly kind: 'unknown' };

export interface Changes<Item> {
  readonly create: readonly Item[];
  readonly update: readonly Item[];
  /** Ids of deleted items. */
  readonly delete: readonly string[];
}

/** Changes that turn a page's structure into the requested one. */
export interface StructurePlan {
  readonly groups: Changes<PlacedGroup>;
  readonly components: Changes<PlacedComponent>;
  /** Created components, and updated components whose links to monitors changed. */
  readonly relinked: readonly PlacedComponent[];
}

export interface PlanContext {
  /** Returns whether the page's organization has a monitor with this id. */
  readonly isMonitor: (id: string) => boolean;
  readonly newId: () => string;
}

/**
 * Compares the current structure of a page with the requested one. An entry with an id keeps the id, even if it moves.
 * An entry without an id gets the id of an equal entry: a group with the same name, or a component with the same group,
 * name and monitors. A repeated request therefore changes nothing. All other entries are created, and existing entries
 * that the request omits are deleted. Positions follow the order of the request.
 * @throws ServiceError `invalid` that lists all invalid entries by their paths, such as
 * `components.0.components.2.name`.
 */
export function planStructure(current: Placed, wanted: readonly WantedEntry[], context: PlanContext): StructurePlan {
  const errors = new FieldErrorCollector();
  const placed = place(current, wanted, context, errors);
  errors.throwIfAny();
  return planChanges(current, placed);
}

/** Returns the changes that turn `current` into `placed`. */
export function planChanges(current: Placed, placed: Placed): StructurePlan {
  const linksBefore = new Map(current.components.map(({ id, monitors }) => [id, monitors]));
  return {
    groups: changes(current.groups, placed.groups, isSameGroup),
    components: changes(current.components, placed.components, isSameComponent),
    relinked: placed.components.filter(({ id, monitors }) => !hasSameLinks(linksBefore.get(id) ?? [], monitors)),
  };
}

function isSameGroup(one: PlacedGroup, other: PlacedGroup): boolean {
  return one.name === other.name && one.position === other.position && one.defaultOpen === other.defaultOpen;
}

function isSameComponent(one: PlacedComponent, other: PlacedComponent): boolean {
  return (
    one.groupId === other.groupId &&
    one.name === other.name &&
    one.description === other.description &&
    one.position === other.position &&
    one.startDate === other.startDate &&
    hasSameLinks(one.monitors, other.monitors)
  );
}

function hasSameLinks(one: readonly MonitorLink[], other: readonly MonitorLink[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ monitorId, downStatus }, index) => {
      const link = other[index];
      return link?.monitorId === monitorId && link.downStatus === downStatus;
    })
  );
}

export function isEmptyPlan({ groups, components }: StructurePlan): boolean {
  return [groups, components].every((of) => of.create.length + of.update.length + of.delete.length === 0);
}

/** Returns the structure after `plan` was written at the time `at`. */
export function applyPlan(current: Structure, { groups, components }: StructurePlan, at: Date): Structure {
  const created = { createdAt: at, updatedAt: at };
  return {
    groups: afterChanges(current.groups, groups, at, created),
    components: afterChanges(current.components, components, at, {
      ...created,
      status: 'operational' as const,
      statusChangedAt: at,
    }),
  };
}

/** Returns items after changes. A created item gets the other fields of a stored item from `created`. */
function afterChanges<Item extends { readonly id: string }, Stored extends Item>(
  current: readonly Stored[],
  changes: Changes<Item>,
  at: Date,
  created: Omit<Stored, keyof Item>,
): Stored[] {
  const updates = new Map(changes.update.map((item) => [item.id, item]));
  const deleted = new Set(changes.delete);
  const remaining = current.flatMap((item) => {
    if (deleted.has(item.id)) return [];
    const update = updates.get(item.id);
    return [update ? { ...item, ...update, updatedAt: at } : item];
  });
  return [...remaining, ...changes.create.map((item) => ({ ...item, ...created }) as Item as Stored)];
}

/** Fields by which a requested component without an id is matched to an existing component of the page. */
type Likeness = Pick<PlacedComponent, 'groupId' | 'name' | 'monitors'>;

/** Assigns an id and a position to every requested entry, and collects the errors. */
function place(
  current: Placed,
  wanted: readonly WantedEntry[],
  { isMonitor, newId }: PlanContext,
  errors: FieldErrorCollector,
): Placed {
  const groups: PlacedGroup[] = [];
  const components: PlacedComponent[] = [];
  const sent = sentIds(wanted);
  const names = new Map([...current.groups, ...current.components].map(({ id, name }) => [id, name]));
  const claimGroup = claimer<Pick<PlacedGroup, 'name'>>('group', current.groups, {
    newId,
    sent,
    errors,
    likeness: ({ name }) => name,
  });
  const likeness = ({ groupId, name, monitors }: Likeness) =>
    JSON.stringify([groupId ?? null, name, linksText(monitors)]);
  const claimComponent = claimer<Likeness>('component', current.components, { newId, sent, errors, likeness });

  function placeComponent(input: WantedComponent, position: number, groupId: string | undefined, path: string): void {
    const { name, description, monitors, startDate } = input;
    const id = claimComponent(input.id, { groupId, name, monitors }, path);
    checkComponent(input, { prefix: `${path}.`, isMonitor, nameBefore: names.get(id) }, errors);
    components.push({ id, groupId, name, description, position, monitors, startDate });
  }

  for (const [position, entry] of wanted.entries()) {
    const path = `components.${position}`;
    switch (entry.kind) {
      case 'group': {
        const id = claimGroup(entry.id, entry, path);
        if (entry.name !== names.get(id)) errors.add(`${path}.name`, problemOfLine(entry.name, 255));
        groups.push({ id, name: entry.name, position, defaultOpen: entry.defaultOpen });
        for (const [index, component] of entry.components.entries()) {
          placeComponent(component, index, id, `${path}.components.${index}`);
        }
        break;
      }
      case 'component':
        placeComponent(entry, position, undefined, path);
        break;
      case 'unknown':
        errors.add(`${path}.type`, 'must be group or component');
        break;
      default:
        entry satisfies never;
    }
  }
  errors.add('components', problemOfLinks(countLinks(current.components), countLinks(components)));
  return { groups, components };
}

function sentIds(wanted: readonly WantedEntry[]): ReadonlySet<string> {
  const all = wanted.flatMap((entry) => {
    if (entry.kind === 'unknown') return [];
    return entry.kind === 'group' ? [entry.id, ...entry.components.map(({ id }) => id)] : [entry.id];
  });
  return new Set(all.filter((id) => id !== undefined));
}

interface ClaimContext<Like> {
  readonly newId: () => string;
  /** Ids in the request. An entry without an id never gets one of these. */
  readonly sent: ReadonlySet<string>;
  readonly errors: FieldErrorCollector;
  /** Returns a string that is identical for equal entries. */
  readonly likeness: (entry: Like) => string;
}

/**
 * Returns a function that determines the id of each entry. The function adds an error for an id that is unknown or
 * repeated.
 */
function claimer<Like>(
  what: string,
  existing: readonly (Like & { readonly id: string; readonly position: number })[],
  { newId, sent, errors, likeness }: ClaimContext<Like>,
): (id: string | undefined, entry: Like, path: string) => string {
  const known = new Set(existing.map(({ id }) => id));
  const claimed = new Set<string>();
  const unnamed = existing.filter(({ id }) => !sent.has(id)).toSorted((a, b) => a.position - b.position);
  const equal = Map.groupBy(unnamed, likeness);
  return (id, entry, path) => {
    if (id === undefined) return equal.get(likeness(entry))?.shift()?.id ?? newId();
    if (!known.has(id)) errors.add(`${path}.id`, `is not a ${what} of this page`);
    else if (claimed.has(id)) errors.add(`${path}.id`, 'appears twice');
    claimed.add(id);
    return id;
  };
}

function changes<Item extends { readonly id: string }>(
  current: readonly Item[],
  placed: readonly Item[],
  isSame: (old: Item, item: Item) => boolean,
): Changes<Item> {
  const before = new Map(current.map((item) => [item.id, item]));
  const kept = new Set(placed.map(({ id }) => id));
  return {
    create: placed.filter(({ id }) => !before.has(id)),
    update: placed.filter((item) => {
      const old = before.get(item.id);
      return old !== undefined && !isSame(old, item);
    }),
    delete: current.filter(({ id }) => !kept.has(id)).map(({ id }) => id),
  };
}

function linksText(monitors: readonly MonitorLink[]): string {
  return monitors.map(({ monitorId, downStatus }) => `${monitorId} ${downStatus}`).join(',');
}
