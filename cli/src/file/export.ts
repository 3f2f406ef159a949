import { Document, isScalar, visit } from 'yaml';
import { apiSchemas } from '../api-schemas.ts';
import { CliError, EXIT } from '../errors.ts';
import { isEqual, type Json, type JsonObject, textOf } from '../json.ts';
import type { Schema } from '../schema.ts';
import { type Current, configOf, entriesOf, KEYS, type Kind, linksOf, type NameOf, namesOf } from './current.ts';
import type { ChannelLink, DesiredComponent, DesiredEntry } from './desired.ts';
import { defaultOf, variant } from './load.ts';
import { kindName } from './plan.ts';

export interface Exported {
  /** YAML for `apply`. */
  readonly text: string;
  /** Names of the environment variables to which the file refers in place of values that the API does not return. */
  readonly variables: readonly string[];
}

/**
 * Config fields to export even though the schema does not require them, by channel type. A channel of such a type needs
 * at least one of several fields.
 */
const NEEDED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  slack: ['webhook_url'],
  apprise: ['server_url', 'urls'],
};

const HEAD = ` A file for "tocsin apply". What is left out has its default value.
 "tocsin schema" prints the schema of such files, for editors.`;

/**
 * Returns a file that describes all existing resources. Throws an error if two resources of a kind have the same name.
 */
export function exportFile(current: Current): Exported {
  refuseDuplicates(current);
  const nameOf = namesOf(current);
  const variables: string[] = [];
  const content: JsonObject = {
    alert_channels: sorted(current, 'alert_channel').map((item) => channelOf(item, nameOf, variables)),
    monitors: sorted(current, 'monitor').map((item) => monitorOf(item, nameOf, variables)),
    status_pages: sorted(current, 'status_page').map((item) => pageOf(item, nameOf)),
  };
  return { text: toYaml(content, variables), variables };
}

/** Returns the content of a file as YAML, below a comment that lists the variables. */
export function toYaml(content: JsonObject, variables: readonly string[], head = HEAD): string {
  const document = new Document(content);
  const list = variables.map((name) => `\n   ${name}`).join('');
  document.commentBefore =
    variables.length === 0
      ? head
      : `${head}\n Secret values are not part of it. Set these variables before you apply it:${list}`;
  // Scripts and other multi-line texts are easier to read and change as blocks.
  visit(document, {
    Seq(_key, node) {
      const texts = node.items.map((item) => (isScalar(item) ? String(item.value) : undefined));
      // Short lists of names and numbers are written on one line.
      node.flow = texts.every((text) => text !== undefined && !text.includes('\n')) && texts.join(', ').length <= 80;
    },
    Scalar(_key, node) {
      if (isScalar(node) && typeof node.value === 'string' && node.value.includes('\n')) node.type = 'BLOCK_LITERAL';
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/** Returns the resources of a kind, sorted by name so that the file does not depend on the order of creation. */
function sorted(current: Current, kind: Kind): JsonObject[] {
  const keyOf = (item: JsonObject) => textOf(item[KEYS[kind]]);
  return [...current[kind]].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function channelOf(item: JsonObject, nameOf: NameOf, variables: string[]): JsonObject {
  const type = textOf(item.type);
  const schema = variant(apiSchemas.alert_channel, 'type', type);
  const { required = [] } = schema.properties?.config ?? {};
  const fields = NEEDED_FIELDS[type] ?? required;
  const placeholder = (field: string): Json => {
    const name = variableFor([textOf(item.name), field], variables);
    return schema.properties?.config?.properties?.[field]?.type === 'array' ? [name] : name;
  };
  return {
    name: textOf(item.name),
    type,
    config: Object.fromEntries(fields.map((field) => [field, placeholder(field)])),
    // The field `enabled` of a broken channel is left out, because the system disabled the channel.
    ...settingsOf(item, schema, [
      'name',
      'type',
      'config',
      'fallback_channel_id',
      ...(item.broken_at ? ['enabled'] : []),
    ]),
    ...(item.fallback_channel_id && { fallback_channel: nameOf('alert_channel', item.fallback_channel_id) }),
  };
}

function monitorOf(item: JsonObject, nameOf: NameOf, variables: string[]): JsonObject {
  const schema = variant(apiSchemas.monitor, 'check_type', item.check_type);
  const names = Array.isArray(item.secret_names) ? item.secret_names.map(String) : [];
  const secrets = names.map((name) => [name, variableFor([textOf(item.name), name], variables)] as const);
  return {
    name: textOf(item.name),
    check_type: textOf(item.check_type),
    ...(Object.keys(configOf(item)).length > 0 && { config: configOf(item) }),
    ...settingsOf(item, schema, ['name', 'check_type', 'config', 'alert_channel_ids', 'secrets']),
    ...(secrets.length > 0 && { secrets: Object.fromEntries(secrets) }),
    alert_channels: linksOf(item, nameOf).map(linkJson),
  };
}

function linkJson({ channel, after_minutes, events }: ChannelLink): Json {
  if (after_minutes === 0 && events === null) return channel;
  return { channel, ...(after_minutes !== 0 && { after_minutes }), ...(events !== null && { events }) };
}

function pageOf(item: JsonObject, nameOf: NameOf): JsonObject {
  return {
    name: textOf(item.name),
    slug: textOf(item.slug),
    ...settingsOf(item, apiSchemas.status_page, ['name', 'slug']),
    ...(item.custom_domain && { custom_domain: textOf(item.custom_domain) }),
    components: entriesOf(item, nameOf).map(entryJson),
  };
}

function entryJson(entry: DesiredEntry): JsonObject {
  if (entry.kind === 'component') return componentJson(entry);
  const { name, default_open, components } = entry;
  return {
    group: name,
    ...(default_open !== null && { default_open }),
    components: components.map(componentJson),
  };
}

function componentJson({ name, description, start_date, monitors }: DesiredComponent): JsonObject {
  return {
    component: name,
    ...(description !== null && { description }),
    ...(start_date !== null && { start_date }),
    ...(monitors.length > 0 && {
      monitors: monitors.map(
        ({ monitor, down_status }): Json => (down_status === 'major_outage' ? monitor : { monitor, down_status }),
      ),
    }),
  };
}

/**
 * Returns the fields of a resource that are in the schema. Omits fields in `except` and fields with their default
 * value.
 */
function settingsOf(item: JsonObject, { properties = {} }: Schema, except: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) => {
      const value = item[name];
      if (except.includes(name) || value === undefined || isEqual(value, defaultOf(schema))) return [];
      return [[name, value]];
    }),
  );
}

/**
 * Returns a reference to a new variable, such as `${OPS_WEBHOOK_URL}`, and adds the name of the variable to
 * `variables`.
 */
export function variableFor(words: readonly string[], variables: string[]): string {
  const upper = words
    .join('_')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  const base = /^[A-Z]/.test(upper) ? upper : `TOCSIN_${upper}`;
  let name = base;
  for (let number = 2; variables.includes(name); number += 1) name = `${base}_${number}`;
  variables.push(name);
  return `\${${name}}`;
}

function refuseDuplicates(current: Current): void {
  const problems = (['alert_channel', 'monitor', 'status_page'] as const).flatMap((kind: Kind) => {
    const byName = Map.groupBy(current[kind], (item) => textOf(item[KEYS[kind]]));
    return [...byName]
      .filter(([, items]) => items.length > 1)
      .map(([name, items]) => `  ${kindName(kind)} "${name}": ${items.map(({ id }) => textOf(id)).join(', ')}`);
  });
  if (problems.length === 0) return;
  throw new CliError(
    EXIT.refused,
    `A file needs unique names. Rename or delete all but one of:\n${problems.join('\n')}`,
  );
}
