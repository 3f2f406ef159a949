import { apiSchemas } from '../api-schemas.ts';
import { get, isObject, type Json, type JsonObject, objectsOf, textOf } from '../json.ts';
import { type Schema, typesOf } from '../schema.ts';
import {
  type ChannelLink,
  channelLink,
  type Desired,
  type DesiredChannel,
  type DesiredComponent,
  type DesiredEntry,
  type DesiredMonitor,
  type DesiredPage,
  type Missing,
} from './desired.ts';
import { fileSchema } from './file-schema.ts';
import { parseSource, type Source } from './source.ts';
import { type Finding, type Findings, type Path, validate } from './validate.ts';
import { expandVariables } from './variables.ts';

export interface Loaded {
  readonly desired: Desired;
  /** Messages that begin with line and column, such as `status.yaml:3:5: monitors[0].name must be a text`. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly source: Source;
}

const SECRET_IN_TEXT = /\{\{([A-Za-z_][A-Za-z0-9_]{0,63})\}\}/g;

/** Reads a file for `apply`. If there are errors, `desired` is empty and must not be applied. */
export function load(name: string, text: string, env: NodeJS.ProcessEnv): Loaded {
  const source = parseSource(name, text);
  if (source.errors.length > 0) return { desired: {}, errors: source.errors, warnings: [], source };
  const { content, missing } = expanded(source.value ?? {}, env);
  const findings: Findings = { errors: [], warnings: [] };
  validate(content, fileSchema, [], findings);
  const open = new Set(missing.map(({ path }) => path.join('\n')));
  // Errors about values with missing variables are left out, because the final values are not known.
  const errors = findings.errors.filter(({ path }) => !open.has(path.join('\n')));
  if (errors.length === 0) errors.push(...duplicates(content), ...unknownSecrets(content));
  return {
    desired: errors.length === 0 ? desiredOf(content, missing) : {},
    errors: errors.map(source.describe),
    warnings: findings.warnings.map(source.describe),
    source,
  };
}

/** Replaces the variables in channel configs and in secrets. Variables are not allowed elsewhere. */
function expanded(value: unknown, env: NodeJS.ProcessEnv): { content: unknown; missing: Missing[] } {
  const missing: Missing[] = [];
  if (!isObject(value)) return { content: value, missing };
  const inside = (list: string, field: string) => {
    const items = value[list];
    if (!Array.isArray(items)) return items;
    return items.map((item: Json, index) => {
      if (!isObject(item) || item[field] === undefined) return item;
      const result = expandVariables(item[field], env, [list, index, field]);
      missing.push(...result.missing);
      return { ...item, [field]: result.value };
    });
  };
  const content = {
    ...value,
    ...('alert_channels' in value && { alert_channels: inside('alert_channels', 'config') }),
    ...('monitors' in value && { monitors: inside('monitors', 'secrets') }),
  };
  return { content, missing };
}

/** Reports names that several resources of a kind share. */
function duplicates(content: unknown): Finding[] {
  return (
    [
      ['alert_channels', 'name'],
      ['monitors', 'name'],
      ['status_pages', 'slug'],
    ] as const
  ).flatMap(([list, key]) => {
    const first = new Map<unknown, number>();
    return objectsOf(get(content, list)).flatMap((item, index) => {
      const earlier = first.get(item[key]);
      if (earlier === undefined) first.set(item[key], index);
      const message = `is ${JSON.stringify(item[key])} like that of ${list}[${earlier}]; it must be unique`;
      return earlier === undefined ? [] : [{ path: [list, index, key], message }];
    });
  });
}

/** Reports secrets that a request uses, but that the monitor does not have. */
function unknownSecrets(content: unknown): Finding[] {
  return objectsOf(get(content, 'monitors')).flatMap((monitor, index) => {
    if (monitor.check_type !== 'http') return [];
    const names = Object.keys(isObject(monitor.secrets) ? monitor.secrets : {});
    const headers = get(monitor.config, 'headers');
    const texts: [Path, unknown][] = [
      [['body'], get(monitor.config, 'body')],
      ...Object.entries(isObject(headers) ? headers : {}).map(([header, text]): [Path, unknown] => [
        ['headers', header],
        text,
      ]),
    ];
    return texts.flatMap(([path, text]) =>
      [...textOf(text).matchAll(SECRET_IN_TEXT)]
        .filter(([, secret = '']) => !names.includes(secret))
        .map(([, secret]) => ({
          path: ['monitors', index, 'config', ...path],
          message: `uses {{${secret}}}, which is not among the secrets of the monitor`,
        })),
    );
  });
}

function desiredOf(content: unknown, missing: readonly Missing[]): Desired {
  const below = (...path: Path) => missing.filter((item) => path.every((step, index) => item.path[index] === step));
  return {
    channels: listOf(content, 'alert_channels')?.map((item, index) =>
      channelOf(item, ['alert_channels', index], below('alert_channels', index)),
    ),
    monitors: listOf(content, 'monitors')?.map((item, index) =>
      monitorOf(item, ['monitors', index], below('monitors', index)),
    ),
    pages: listOf(content, 'status_pages')?.map((item, index) => pageOf(item, ['status_pages', index])),
  };
}

/** Returns the objects in one of the file's lists; undefined if the file does not contain the list. */
function listOf(content: unknown, list: string): JsonObject[] | undefined {
  return get(content, list) === undefined ? undefined : objectsOf(get(content, list));
}

function channelOf(item: JsonObject, path: Path, missing: readonly Missing[]): DesiredChannel {
  const { type, name, config, fallback_channel } = item;
  return {
    path,
    name: textOf(name),
    type: textOf(type),
    settings: settingsOf(item, variant(apiSchemas.alert_channel, 'type', type), [
      'name',
      'type',
      'config',
      'fallback_channel_id',
    ]),
    fallback: typeof fallback_channel === 'string' ? fallback_channel : null,
    config: isObject(config) ? config : {},
    missing,
  };
}

function monitorOf(item: JsonObject, path: Path, missing: readonly Missing[]): DesiredMonitor {
  const { name, check_type, alert_channels, secrets } = item;
  const schema = variant(apiSchemas.monitor, 'check_type', check_type);
  const values = Object.entries(isObject(secrets) ? secrets : {}).map(([key, value]) => [key, textOf(value)]);
  return {
    path,
    name: textOf(name),
    checkType: textOf(check_type),
    settings: {
      ...settingsOf(item, schema, ['name', 'check_type', 'config', 'alert_channel_ids', 'secrets']),
      config: isObject(item.config) ? item.config : {},
    },
    channels: Array.isArray(alert_channels) ? alert_channels.map(channelLinkOf) : undefined,
    secrets: schema.properties?.secrets && Object.fromEntries(values),
    missing: missing.map((one) => ({ ...one, secret: String(one.path[3]) })),
  };
}

function channelLinkOf(link: Json): ChannelLink {
  const settings = isObject(link) ? link : { channel: link };
  return channelLink(textOf(settings.channel), settings);
}

function pageOf(item: JsonObject, path: Path): DesiredPage {
  const { slug, custom_domain, components } = item;
  return {
    path,
    slug: textOf(slug),
    settings: settingsOf(item, apiSchemas.status_page, ['slug']),
    customDomain: custom_domain === undefined ? undefined : domainOf(custom_domain),
    entries: Array.isArray(components) ? objectsOf(components).map(entryOf) : undefined,
  };
}

/** Returns a domain as the API stores it; null if there is none. */
function domainOf(value: Json): string | null {
  return typeof value === 'string' ? value.toLowerCase().replace(/\.$/, '') : null;
}

function entryOf(item: JsonObject): DesiredEntry {
  if (item.group === undefined) return componentOf(item);
  const components = objectsOf(item.components).map(componentOf);
  return { kind: 'group', name: textOf(item.group), default_open: item.default_open ?? null, components };
}

function componentOf({ component, description = null, start_date = null, monitors }: JsonObject): DesiredComponent {
  const links = Array.isArray(monitors) ? monitors : [];
  return {
    kind: 'component',
    name: textOf(component),
    // The API stores an empty description as null.
    description: description === '' ? null : description,
    start_date,
    monitors: links.map((link: Json) => {
      const { monitor, down_status = 'major_outage' } = isObject(link) ? link : { monitor: link };
      return { monitor: textOf(monitor), down_status: down_status ?? 'major_outage' };
    }),
  };
}

/** Returns an item's values of the fields in a schema, except those in `except`. Absent fields get their defaults. */
function settingsOf(item: JsonObject, { properties = {} }: Schema, except: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) => {
      if (except.includes(name)) return [];
      const value = item[name] ?? defaultOf(schema);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Returns the default of a field in the API; undefined for a field without a default. */
export function defaultOf(schema: Schema): Json | undefined {
  if (schema.default !== undefined) return schema.default;
  return typesOf(schema).includes('null') ? null : undefined;
}

/** Returns the schema of a resource variant, by its type. */
export function variant({ oneOf = [] }: Schema, discriminator: string, type: unknown): Schema {
  return oneOf.find(({ properties }) => properties?.[discriminator]?.enum?.some((item) => item === type)) ?? {};
}
