import type { ComponentStatus } from '@tocsin/enums';

/** Maximum numbers of components and of groups on one page. */
export const MAX_COMPONENTS = 500;
export const MAX_GROUPS = 500;

/** Maximum number of links to monitors that all components of a page have together. */
export const MAX_LINKS = 2_000;

/** A link from a component to a monitor. */
export interface MonitorLink {
  readonly monitorId: string;
  /** Status of the component while the monitor is down. */
  readonly downStatus: ComponentStatus;
}

/** A group with its position among the page's top-level entries. */
export interface PlacedGroup {
  readonly id: string;
  readonly name: string;
  /** 0-based position among the page's top-level entries. */
  readonly position: number;
  /** Whether the group is expanded by default; undefined to use the setting of the page. */
  readonly defaultOpen: boolean | undefined;
}

/** A component with its position among its siblings. */
export interface PlacedComponent {
  readonly id: string;
  /** Group of the component; undefined at the top level. */
  readonly groupId: string | undefined;
  readonly name: string;
  readonly description: string | undefined;
  /** 0-based position among its siblings. Components without a group are numbered together with the page's groups. */
  readonly position: number;
  readonly monitors: readonly MonitorLink[];
  /** First day (UTC) of the component's history, such as `2026-11-20`; undefined if the history includes all days. */
  readonly startDate: string | undefined;
}

interface Times {
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface Group extends PlacedGroup, Times {}

export interface Component extends PlacedComponent, Times {
  readonly status: ComponentStatus;
  readonly statusChangedAt: Date;
}

/** A top-level entry of a page. */
export type EntryOf<AGroup, AComponent> =
  | { readonly kind: 'group'; readonly group: AGroup; readonly components: readonly AComponent[] }
  | { readonly kind: 'component'; readonly component: AComponent };

export type Entry = EntryOf<Group, Component>;

/** Groups and components of a page, in any order. */
interface PartsOf<AGroup, AComponent> {
  readonly groups: readonly AGroup[];
  readonly components: readonly AComponent[];
}

export type Placed = PartsOf<PlacedGroup, PlacedComponent>;
export type Structure = PartsOf<Group, Component>;

/** Returns the page's top-level entries in order, each group with its components in order. */
export function treeOf<AGroup extends PlacedGroup, AComponent extends PlacedComponent>({
  groups,
  components,
}: PartsOf<AGroup, AComponent>): EntryOf<AGroup, AComponent>[] {
  const byGroup = Map.groupBy(components, ({ groupId }) => groupId);
  const inOrder = (group: string | undefined) => (byGroup.get(group) ?? []).toSorted((a, b) => a.position - b.position);
  const entries: EntryOf<AGroup, AComponent>[] = [
    ...groups.map((group) => ({ kind: 'group' as const, group, components: inOrder(group.id) })),
    ...inOrder(undefined).map((component) => ({ kind: 'component' as const, component })),
  ];
  return entries.sort((a, b) => positionOf(a) - positionOf(b));
}

function positionOf(entry: EntryOf<PlacedGroup, PlacedComponent>): number {
  return entry.kind === 'group' ? entry.group.position : entry.component.position;
}

/** Returns the components of a top-level entry. */
export function componentsOf(entry: Entry): readonly Component[] {
  return entry.kind === 'group' ? entry.components : [entry.component];
}
