import type { Client } from './api/client.ts';
import { apiSchemas } from './api-schemas.ts';
import { CliError, EXIT } from './errors.ts';
import { type JsonObject, objectsOf, textOf } from './json.ts';
import type { Schema } from './schema.ts';

/** A kind of resource. Commands list, create, change and delete resources of each kind. */
export interface ResourceKind {
  /** First word of the commands. */
  readonly name: string;
  readonly singular: string;
  readonly path: string;
  /** Field by which users identify a resource. */
  readonly label: string;
  readonly schema: Schema;
  /** Filters that the list command has as options, by their names in the API. */
  readonly filters: readonly string[];
  readonly columns: readonly (readonly [title: string, cell: (item: JsonObject) => string])[];
  readonly createExample: string;
  readonly updateExample: string;
}

const yesNo = (value: unknown) => (value === true ? 'yes' : 'no');
const field = (name: string) => (item: JsonObject) => textOf(item[name]);
const list = (value: unknown) => (Array.isArray(value) ? value.map(String).join(', ') : '');

export const MONITORS: ResourceKind = {
  name: 'monitors',
  singular: 'monitor',
  path: '/monitors',
  label: 'name',
  schema: apiSchemas.monitor,
  filters: ['check_type', 'enabled', 'state', 'q'],
  columns: [
    ['NAME', field('name')],
    ['STATE', stateOf],
    ['TYPE', field('check_type')],
    ['EVERY', (item) => `${item.interval_seconds} s`],
    ['ID', field('id')],
  ],
  createExample: 'name=Shop check_type=http config.url=https://shop.example.com interval_seconds=60',
  updateExample: 'Shop interval_seconds=30 config.expected_keyword=Welcome',
};

export const CHANNELS: ResourceKind = {
  name: 'channels',
  singular: 'alert channel',
  path: '/alert-channels',
  label: 'name',
  schema: apiSchemas.alert_channel,
  filters: ['type', 'enabled'],
  columns: [
    ['NAME', field('name')],
    ['TYPE', field('type')],
    ['ENABLED', (item) => yesNo(item.enabled)],
    ['DEFAULT', (item) => yesNo(item.default_for_new_monitors)],
    ['BROKEN', field('broken_reason')],
    ['ID', field('id')],
  ],
  createExample: 'name=Ops type=slack config.webhook_url=https://hooks.slack.com/services/T0/B0/x',
  updateExample: 'Ops default_for_new_monitors=true',
};

export const PAGES: ResourceKind = {
  name: 'pages',
  singular: 'status page',
  path: '/status-pages',
  label: 'slug',
  schema: apiSchemas.status_page,
  filters: [],
  columns: [
    ['SLUG', field('slug')],
    ['NAME', field('name')],
    ['STATUS', field('status')],
    ['ENABLED', (item) => yesNo(item.enabled)],
    ['URL', field('url')],
    ['ID', field('id')],
  ],
  createExample: 'name="Acme status" slug=acme enabled=true',
  updateExample: 'acme theme=dark',
};

export const DISRUPTIONS: ResourceKind = {
  name: 'disruptions',
  singular: 'disruption',
  path: '/disruptions',
  label: 'title',
  schema: apiSchemas.disruption,
  filters: ['status', 'type', 'auto_created'],
  columns: [
    ['TITLE', field('title')],
    ['STATUS', field('status')],
    ['TYPE', field('type')],
    ['IMPACT', field('impact')],
    ['STARTED', field('started_at')],
    ['ID', field('id')],
  ],
  createExample: 'title="Checkout is slow" started_at=2026-11-20T10:00:00Z impact=minor message="We look into it."',
  updateExample: '0192f0c1-7a1e-7c3a-9f55-0e5b1c2d3e4f status=resolved message="All is well again."',
};

export const WEBHOOKS: ResourceKind = {
  name: 'webhooks',
  singular: 'webhook',
  path: '/webhooks',
  label: 'url',
  schema: apiSchemas.webhook,
  filters: [],
  columns: [
    ['URL', field('url')],
    ['EVENTS', (item) => list(item.events)],
    ['ENABLED', (item) => yesNo(item.enabled)],
    ['ID', field('id')],
  ],
  createExample: 'url=https://hooks.example.com/tocsin events=monitor.state_changed,monitor.created',
  updateExample: 'https://hooks.example.com/tocsin enabled=false',
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns the id of the resource whose id or label is `text`. */
export async function findId(client: Client, kind: ResourceKind, text: string): Promise<string> {
  if (UUID.test(text)) return text;
  const found = (await client.list(kind.path)).filter((item) => item[kind.label] === text);
  const [only] = found;
  if (only && found.length === 1) return textOf(only.id);
  if (!only) throw new CliError(EXIT.refused, `There is no ${kind.singular} with the ${kind.label} "${text}".`);
  const ids = found.map(({ id }) => `\n  ${textOf(id)}`).join('');
  throw new CliError(
    EXIT.refused,
    `There are ${found.length} ${kind.singular}s with the ${kind.label} "${text}". Use an id:${ids}`,
  );
}

/** A component of a status page. */
export interface Component {
  readonly id: string;
  readonly name: string;
  /** Name with the group, such as `Web/Shop`. */
  readonly fullName: string;
}

/** Returns all components of a status page, including those in groups. */
export function componentsOf(page: JsonObject): Component[] {
  return objectsOf(page.components).flatMap((entry) => {
    const inGroup = entry.type === 'group' ? objectsOf(entry.components) : [entry];
    const prefix = entry.type === 'group' ? `${textOf(entry.name)}/` : '';
    return inGroup.map(({ id, name }) => ({ id: textOf(id), name: textOf(name), fullName: prefix + textOf(name) }));
  });
}

function stateOf(item: JsonObject): string {
  return item.enabled === false ? 'disabled' : textOf(item.current_state);
}
