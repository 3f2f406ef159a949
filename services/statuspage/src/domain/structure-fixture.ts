import { planStructure, type StructurePlan, type WantedComponent, type WantedEntry } from './plan-structure.ts';
import type { PlacedComponent, PlacedGroup } from './tree.ts';

export interface Placed {
  groups: PlacedGroup[];
  components: PlacedComponent[];
}

export const none: Placed = { groups: [], components: [] };
export const api: WantedComponent = {
  id: undefined,
  name: 'API',
  description: undefined,
  monitors: [],
  startDate: undefined,
};
/** A group without components. */
export const core = { kind: 'group' as const, id: undefined, name: 'Core', defaultOpen: undefined };

const ids = numbers();

function* numbers(): Generator<number, never> {
  for (let number = 1; ; number += 1) yield number;
}

export function plan(current: Placed, wanted: readonly WantedEntry[]): StructurePlan {
  const newId = () => `new-${ids.next().value}`;
  return planStructure(current, wanted, { isMonitor: (id) => id.startsWith('monitor'), newId });
}

/** Returns a structure as a request that contains the ids of all entries. */
export function spelled({ groups, components }: Placed): WantedEntry[] {
  const input = ({ id, name, description, monitors, startDate }: PlacedComponent) => ({
    id,
    name,
    description,
    monitors,
    startDate,
  });
  const inside = (groupId: string | undefined) =>
    components.filter((component) => component.groupId === groupId).sort((a, b) => a.position - b.position);
  const entries = [
    ...groups.map(({ id, name, position, defaultOpen }) => ({
      position,
      entry: { kind: 'group' as const, id, name, defaultOpen, components: inside(id).map(input) },
    })),
    ...inside(undefined).map((component) => ({
      position: component.position,
      entry: { kind: 'component' as const, ...input(component) },
    })),
  ];
  return entries.sort((a, b) => a.position - b.position).map(({ entry }) => entry);
}

/** A page with a group that has one component, and a component without a group. */
export const page: Placed = {
  groups: [{ id: 'group-1', name: 'Core', position: 0, defaultOpen: undefined }],
  components: [
    {
      id: 'component-1',
      groupId: 'group-1',
      name: 'API',
      description: undefined,
      position: 0,
      monitors: [{ monitorId: 'monitor-1', downStatus: 'major_outage' }],
      startDate: undefined,
    },
    { ...api, id: 'component-2', groupId: undefined, name: 'Website', position: 1 },
  ],
};
