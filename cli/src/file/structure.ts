import { type JsonObject, objectsOf, textOf } from '../json.ts';
import type { DesiredComponent, DesiredEntry } from './desired.ts';
import type { Change, IdOf } from './plan.ts';
import type { Path } from './validate.ts';

/** Returns the monitor of each link, with the path of the link relative to the page's `components`. */
export function monitorsIn(entries: readonly DesiredEntry[]): { monitor: string; place: Path }[] {
  return entries.flatMap((entry, index) =>
    entry.kind === 'group'
      ? monitorsIn(entry.components).map(({ monitor, place }) => ({ monitor, place: [index, 'components', ...place] }))
      : entry.monitors.map(({ monitor }, link) => ({ monitor, place: [index, 'monitors', link] })),
  );
}

/** Describes how a structure changes, by the names of its components. */
export function structureChange(wanted: readonly DesiredEntry[], now: readonly DesiredEntry[]): Change {
  return { field: 'components', from: componentNames(now), to: componentNames(wanted) };
}

function componentNames(entries: readonly DesiredEntry[]): string[] {
  return entries.flatMap((entry) =>
    entry.kind === 'group'
      ? [`${entry.name}/`, ...entry.components.map(({ name }) => `${entry.name}/${name}`)]
      : [entry.name],
  );
}

/**
 * Returns the body that replaces a structure. Entries keep their ids, and with them their history. Groups are matched
 * by name. Components are matched by name within their group, or else by name on the whole page.
 */
export function structureBody(wanted: readonly DesiredEntry[], now: readonly JsonObject[], idOf: IdOf): JsonObject[] {
  const groups = now.filter(({ type }) => type === 'group');
  const components = [
    ...now.filter(({ type }) => type !== 'group').map((component) => ({ component, group: '' })),
    ...groups.flatMap((group) =>
      objectsOf(group.components).map((component) => ({ component, group: textOf(group.name) })),
    ),
  ];
  const ids = new Map<DesiredEntry, string>();
  const used = new Set<string>();
  const claim = (entry: DesiredEntry, candidates: readonly JsonObject[]) => {
    const found = candidates.find(({ id, name }) => name === entry.name && !used.has(textOf(id)));
    if (!found || ids.has(entry)) return;
    used.add(textOf(found.id));
    ids.set(entry, textOf(found.id));
  };
  const placed = wanted.flatMap((entry): { entry: DesiredComponent; group: string }[] =>
    entry.kind === 'group'
      ? entry.components.map((component) => ({ entry: component, group: entry.name }))
      : [{ entry, group: '' }],
  );
  for (const entry of wanted) if (entry.kind === 'group') claim(entry, groups);
  for (const { entry, group } of placed) {
    claim(
      entry,
      components.filter((one) => one.group === group).map(({ component }) => component),
    );
  }
  for (const { entry } of placed) {
    claim(
      entry,
      components.map(({ component }) => component),
    );
  }
  const withId = (entry: DesiredEntry) => (ids.has(entry) ? { id: ids.get(entry) } : {});
  const componentBody = (entry: DesiredComponent): JsonObject => ({
    type: 'component',
    ...withId(entry),
    name: entry.name,
    description: entry.description,
    start_date: entry.start_date,
    monitors: entry.monitors.map(({ monitor, down_status }) => ({ monitor_id: idOf('monitor', monitor), down_status })),
  });
  return wanted.map((entry) =>
    entry.kind === 'group'
      ? {
          type: 'group',
          ...withId(entry),
          name: entry.name,
          default_open: entry.default_open,
          components: entry.components.map(componentBody),
        }
      : componentBody(entry),
  );
}
