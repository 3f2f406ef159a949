import { get, type JsonObject, objectsOf, textOf } from '../json.ts';
import { slugOf } from './names.ts';
import { type Imported, Report } from './report.ts';

/**
 * Converts documents from a status page's API (v2), merged into one object: `summary.json` or `components.json`, and
 * optionally others such as `incidents.json`.
 */
export function importStatuspage(content: unknown): Imported {
  const report = new Report();
  const name = textOf(get(get(content, 'page'), 'name')) || 'Status';
  const url = textOf(get(get(content, 'page'), 'url'));
  const components = objectsOf(get(content, 'components')).sort(
    (a, b) => Number(a.position ?? 0) - Number(b.position ?? 0),
  );
  const groups = components.filter(({ group }) => group === true);
  const groupIds = new Set(groups.map(({ id }) => id));
  const leaves = components.filter(({ group }) => group !== true);
  for (const leaf of leaves) {
    report.change(`"${textOf(leaf.name)}"`, 'a person set its status; link it to monitors');
    if (leaf.only_show_if_degraded === true) report.change(`"${textOf(leaf.name)}"`, 'it is always shown');
  }
  const entries = components.flatMap((component) => {
    if (component.group === true) {
      const own = leaves.filter(({ group_id }) => group_id === component.id);
      return [{ group: textOf(component.name), components: own.map(componentOf) }];
    }
    return groupIds.has(component.group_id ?? null) ? [] : [componentOf(component)];
  });
  for (const { name: title } of objectsOf(get(content, 'incidents'))) {
    report.skip(`"${textOf(title)}"`, 'incidents; see "tocsin import statuspage-history"');
  }
  for (const { name: title } of objectsOf(get(content, 'scheduled_maintenances'))) {
    report.skip(`"${textOf(title)}"`, 'maintenances; see "tocsin import statuspage-history"');
  }
  return {
    content: {
      alert_channels: [],
      monitors: [],
      status_pages: [
        {
          name,
          slug: slugOf(name),
          enabled: true,
          ...(/^https?:/.test(url) && { homepage_url: url }),
          components: entries,
        },
      ],
    },
    report,
  };
}

function componentOf({ name, description, start_date }: JsonObject): JsonObject {
  return {
    component: textOf(name),
    ...(textOf(description) && { description: textOf(description) }),
    ...(/^\d{4}-\d\d-\d\d$/.test(textOf(start_date)) && { start_date: textOf(start_date) }),
  };
}
