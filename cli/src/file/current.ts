import type { Client } from '../api/client.ts';
import { isObject, type Json, type JsonObject, objectsOf, textOf } from '../json.ts';
import { type ChannelLink, channelLink, type DesiredComponent, type DesiredEntry } from './desired.ts';

export type Kind = 'alert_channel' | 'monitor' | 'status_page';

/** Resources of the installation as the API returns them, oldest first. */
export interface Current {
  readonly alert_channel: readonly JsonObject[];
  readonly monitor: readonly JsonObject[];
  /** Status pages with their components. */
  readonly status_page: readonly JsonObject[];
}

export const PATHS: Readonly<Record<Kind, string>> = {
  alert_channel: '/alert-channels',
  monitor: '/monitors',
  status_page: '/status-pages',
};

/** Field by which a file identifies the resources of a kind. */
export const KEYS: Readonly<Record<Kind, string>> = { alert_channel: 'name', monitor: 'name', status_page: 'slug' };

/** Reads all resources that a file can describe. */
export async function readCurrent(client: Client): Promise<Current> {
  const [channels, monitors, summaries] = await Promise.all([
    client.list(PATHS.alert_channel),
    client.list(PATHS.monitor),
    client.list(PATHS.status_page),
  ]);
  const pages: JsonObject[] = [];
  for (const { id } of summaries) pages.push(await client.data('GET', `${PATHS.status_page}/${textOf(id)}`));
  return { alert_channel: channels.reverse(), monitor: monitors.reverse(), status_page: pages.reverse() };
}

/** Returns the name of the resource with an id. */
export type NameOf = (kind: Kind, id: Json | undefined) => string;

export function namesOf(current: Current): NameOf {
  const names = new Map(
    (['alert_channel', 'monitor', 'status_page'] as const).flatMap((kind) =>
      current[kind].map((item) => [`${kind} ${textOf(item.id)}`, textOf(item[KEYS[kind]])] as const),
    ),
  );
  return (kind, id) => names.get(`${kind} ${textOf(id)}`) ?? '';
}

/** Returns a monitor's links to its alert channels, in order and with names instead of ids. */
export function linksOf(monitor: JsonObject, nameOf: NameOf): ChannelLink[] {
  const ids = Array.isArray(monitor.alert_channel_ids) ? monitor.alert_channel_ids : [];
  const settings = objectsOf(monitor.alert_channel_links);
  return ids.map((id: Json) => {
    return channelLink(nameOf('alert_channel', id), settings.find(({ channel_id }) => channel_id === id) ?? {});
  });
}

/** Returns the structure of a status page with names instead of ids. */
export function entriesOf(page: JsonObject, nameOf: NameOf): DesiredEntry[] {
  return objectsOf(page.components).map((entry) =>
    entry.type === 'group'
      ? {
          kind: 'group',
          name: textOf(entry.name),
          default_open: entry.default_open ?? null,
          components: objectsOf(entry.components).map((component) => componentOf(component, nameOf)),
        }
      : componentOf(entry, nameOf),
  );
}

function componentOf(component: JsonObject, nameOf: NameOf): DesiredComponent {
  return {
    kind: 'component',
    name: textOf(component.name),
    description: component.description ?? null,
    start_date: component.start_date ?? null,
    monitors: objectsOf(component.monitors).map(({ monitor_id, down_status = null }) => ({
      monitor: nameOf('monitor', monitor_id),
      down_status,
    })),
  };
}

export function configOf(item: JsonObject): JsonObject {
  return isObject(item.config) ? item.config : {};
}
