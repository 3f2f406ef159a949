import { apiSchemas } from '../api-schemas.ts';
import type { Schema } from '../schema.ts';

type Properties = Readonly<Record<string, Schema>>;

/** A non-empty text, such as the name of another resource in the file. */
const NAME: Schema = { type: 'string', minLength: 1, maxLength: 255 };

const VARIABLES = `Texts may contain variables of the environment, such as \${NAME}; $\${ is a literal \${`;

const channelLink: Schema = {
  oneOf: [
    { ...NAME, description: 'Name of an alert channel' },
    {
      type: 'object',
      required: ['channel'],
      additionalProperties: false,
      properties: {
        channel: { ...NAME, description: 'Name of an alert channel' },
        ...without(linkSchema().properties, 'channel_id'),
      },
    },
  ],
};

const monitorLink: Schema = {
  oneOf: [
    { ...NAME, description: 'Name of a monitor' },
    {
      type: 'object',
      required: ['monitor'],
      additionalProperties: false,
      properties: {
        monitor: { ...NAME, description: 'Name of a monitor' },
        ...without(monitorLinkSchema().properties, 'monitor_id'),
      },
    },
  ],
};

/** Schema of a file for `apply`. It validates the file, and editors get it from `tocsin schema`. */
export const fileSchema: Schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Monitors, alert channels and status pages of a Tocsin installation',
  type: 'object',
  additionalProperties: false,
  properties: {
    alert_channels: list('Alert channels, known by their names', channelSchema()),
    monitors: list('Monitors, known by their names', monitorSchema()),
    status_pages: list('Status pages, known by their slugs', pageSchema()),
  },
};

function list(description: string, items: Schema): Schema {
  return { type: ['array', 'null'], description, items };
}

function channelSchema(): Schema {
  return eachVariant(apiSchemas.alert_channel, (properties) => ({
    ...without(properties, 'config', 'fallback_channel_id'),
    config: withVariables(properties.config ?? {}),
    fallback_channel: {
      type: ['string', 'null'],
      maxLength: 255,
      description: 'Name of another alert channel, which gets the alerts while this one is broken',
    },
  }));
}

function monitorSchema(): Schema {
  return eachVariant(apiSchemas.monitor, (properties) => ({
    ...without(properties, 'alert_channel_ids', 'secrets'),
    ...(properties.secrets && {
      secrets: {
        type: 'object',
        maxProperties: 50,
        additionalProperties: { type: 'string', minLength: 1, maxLength: 8_192 },
        description: `All secrets of the monitor. ${VARIABLES}`,
      },
    }),
    alert_channels: {
      type: 'array',
      maxItems: properties.alert_channel_ids?.maxItems ?? 50,
      items: channelLink,
      description: 'All alert channels of the monitor. Absent: a new monitor gets the default ones, others keep theirs',
    },
  }));
}

function pageSchema(): Schema {
  const { properties = {}, required = [] } = apiSchemas.status_page;
  const [group, component] = entrySchemas();
  return {
    type: 'object',
    required: [...required],
    additionalProperties: false,
    properties: {
      ...properties,
      custom_domain: {
        type: ['string', 'null'],
        maxLength: 253,
        description: 'Domain of the page. It has to be verified after it was set. Absent: it is left as it is',
      },
      components: {
        type: 'array',
        maxItems: 1_000,
        items: { oneOf: [group, component] },
        description: 'All groups and components of the page. Absent: they are left as they are',
      },
    },
  };
}

function entrySchemas(): [Schema, Schema] {
  const { oneOf: variants = [] } = entryUnion();
  const inGroup: Properties = variants[0]?.properties ?? {};
  const alone: Properties = variants[1]?.properties ?? {};
  const component: Schema = {
    type: 'object',
    required: ['component'],
    additionalProperties: false,
    properties: {
      component: { ...NAME, description: 'Name of the component' },
      ...without(alone, 'type', 'id', 'name', 'monitors'),
      monitors: { type: 'array', maxItems: 100, items: monitorLink, description: 'Monitors that it follows' },
    },
  };
  const group: Schema = {
    type: 'object',
    required: ['group'],
    additionalProperties: false,
    properties: {
      group: { ...NAME, description: 'Name of the group' },
      ...without(inGroup, 'type', 'id', 'name', 'components'),
      components: { type: 'array', maxItems: 500, items: component, description: 'Components of the group' },
    },
  };
  return [group, component];
}

/** Returns the schema of an entry in a page's structure: a group or a component. */
function entryUnion(): Schema {
  const items = apiSchemas.structure.properties?.components?.items ?? {};
  return (items as { 'x-document'?: Schema })['x-document'] ?? items;
}

/** Returns the schema of a monitor's link to an alert channel. */
function linkSchema(): Schema {
  return apiSchemas.monitor.oneOf?.[0]?.properties?.alert_channel_ids?.items ?? {};
}

function monitorLinkSchema(): Schema {
  return entryUnion().oneOf?.[1]?.properties?.monitors?.items ?? {};
}

/** Changes the properties of all variants, and allows no other properties. */
function eachVariant(schema: Schema, change: (properties: Properties) => Properties): Schema {
  const variants = (schema.oneOf ?? []).map((variant) => ({
    ...variant,
    additionalProperties: false,
    properties: change(variant.properties ?? {}),
  }));
  return { ...schema, oneOf: variants };
}

/**
 * Returns the schema for texts with variables. The schema does not restrict the format, because editors do not know the
 * values of the variables.
 */
function withVariables(config: Schema): Schema {
  const properties = Object.entries(config.properties ?? {}).map(([name, { format, pattern, ...property }]) => [
    name,
    {
      ...property,
      ...(format !== undefined && { 'x-format': format }),
      ...(pattern !== undefined && { 'x-pattern': pattern }),
    },
  ]);
  return { ...config, description: VARIABLES, properties: Object.fromEntries(properties) };
}

function without(properties: Properties = {}, ...names: readonly string[]): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)));
}
