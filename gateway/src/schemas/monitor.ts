import { monitorResourceWith, toMicroseconds, toSeconds } from '@tocsin/api-json';
import {
  AFTER_MINUTES,
  ALERT_EVENTS,
  type AlertEvent,
  type CheckType,
  checkOutcomes,
  checkTypes,
  hasSetting,
  MAX_CHANNELS_OF_MONITOR,
  MONITOR_SETTINGS,
  type MonitorNumbers,
  type MonitorSettingName,
  mayHaveSecrets,
  monitorSettingNames,
  monitorStates,
} from '@tocsin/enums';
import type { GetMonitorStateResponse, Monitor, RegionResult, ScriptRun } from '@tocsin/proto/monitor/v1/monitor';
import { type Static, type TInteger, type TOptional, type TSchema, Type } from 'typebox';
import { RawJson, rawObject } from '../raw-json/raw-json.ts';
import { Id, idInput, MAX_URL, Name, nullable, oneOf, pageQuery, shortText, Timestamp } from './common.ts';
import { monitorConfigs } from './monitor-config.ts';
import { anyConfig, titleOf, withVariants } from './variants.ts';

const config = {
  maxProperties: 1_000,
  description: 'Type-specific; at most 128 KB of JSON and 32 levels deep. Returned exactly as it was sent',
  examples: [
    { url: 'https://example.com/health', method: 'GET', expected_status_codes: [200], follow_redirects: true },
  ],
};

const Config = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  ...config,
});

const linkSettings = {
  after_minutes: {
    type: 'integer',
    ...AFTER_MINUTES,
    description:
      'Minutes that an outage must last without being acknowledged before the channel is alerted. Its recovery follows where its beginning went',
  },
  events: {
    items: { type: 'string', enum: ALERT_EVENTS, maxLength: 64 },
    maxItems: ALERT_EVENTS.length,
    description: 'Kinds of alerts that go to the channel; null: all',
  },
};

/** A link to an alert channel in responses. */
const ChannelLink = Type.Object({
  channel_id: Id,
  after_minutes: Type.Integer(linkSettings.after_minutes),
  events: nullable(Type.Unsafe<AlertEvent[]>({ type: 'array', ...linkSettings.events })),
});

interface ChannelLinkInput {
  readonly channel_id: string;
  readonly after_minutes?: number;
  readonly events?: readonly AlertEvent[] | null;
}

/** A link to an alert channel in requests: the id of the channel, or an object with the id and settings. */
const ChannelLinkInput = Type.Unsafe<string | ChannelLinkInput>({
  type: ['string', 'object'],
  maxLength: 64,
  required: ['channel_id'],
  maxProperties: 1_000,
  properties: {
    channel_id: idInput('UUID of an alert channel'),
    after_minutes: { ...linkSettings.after_minutes, default: 0 },
    events: { type: ['array', 'null'], minItems: 1, ...linkSettings.events },
  },
  description: 'UUID of an alert channel, or an object with settings of the link. A UUID alone keeps the settings',
});

const TOKEN = 'nJ4gqf0Yb6f9RkUuVx2m3c8ZsTtLw1Aa';

/** Maximum number of secrets in a request. */
const MAX_SECRETS = 100;

/** Secret values by name. They are write-only: responses contain only names. */
const Secrets = Type.Unsafe<Record<string, string | null>>({
  type: 'object',
  maxProperties: MAX_SECRETS,
  additionalProperties: { type: ['string', 'null'], maxLength: 8_192 },
  description:
    'Values for `{{NAME}}` in headers and body (http) or for the script (synthetic); never returned. Names that are not sent stay, null removes one',
  examples: [{ API_TOKEN: 's3cret' }],
});

/**
 * Returns the schemas of the numeric settings in responses. A response contains only the settings of its check type.
 */
function settingsOfResponse() {
  return eachSetting(({ minimum, maximum, example, description, appliesTo }) => {
    const schema = Type.Integer({ minimum, maximum, description, examples: [example] });
    return appliesTo === 'every type' ? schema : Type.Optional(schema);
  });
}

/** Returns the schemas of the numeric settings in requests. All of them are optional. */
function settingsOfRequest() {
  return eachSetting(({ minimum, maximum, default: initial, example, description }) =>
    Type.Optional(Type.Integer({ minimum, maximum, default: initial, description, examples: [example] })),
  );
}

function eachSetting(schemaOf: (setting: (typeof MONITOR_SETTINGS)[MonitorSettingName]) => TSchema) {
  const schemas = monitorSettingNames.map((name) => [name, schemaOf(MONITOR_SETTINGS[name])]);
  return Object.fromEntries(schemas) as Record<MonitorSettingName, TOptional<TInteger>>;
}

const monitor = Type.Object({
  id: Id,
  name: Name,
  check_type: oneOf(checkTypes.names),
  enabled: Type.Boolean(),
  ...settingsOfResponse(),
  config: rawObject({ type: 'object', additionalProperties: true, ...config }),
  secret_names: Type.Optional(
    Type.Array(Type.String({ maxLength: 255, examples: ['API_TOKEN'] }), {
      maxItems: MAX_SECRETS,
      description: 'Sorted; http and synthetic only',
    }),
  ),
  heartbeat_token: Type.Optional(Type.String({ maxLength: 64, description: 'Heartbeat only', examples: [TOKEN] })),
  heartbeat_url: Type.Optional(
    Type.String({
      maxLength: MAX_URL,
      description: 'What the job calls; heartbeat only',
      examples: [`https://tocsin.example.com/api/heartbeat/${TOKEN}`],
    }),
  ),
  current_state: oneOf(monitorStates.names),
  alert_channel_ids: Type.Array(Id, { maxItems: MAX_CHANNELS_OF_MONITOR }),
  alert_channel_links: Type.Optional(
    Type.Array(ChannelLink, {
      maxItems: MAX_CHANNELS_OF_MONITOR,
      description: 'Settings of those of the links that have any; absent when none has',
    }),
  ),
  alert_channels_broken: Type.Optional(
    Type.Boolean({
      description: 'True when every linked channel is broken, so that no alert is delivered; else absent',
    }),
  ),
  inserted_at: Timestamp,
  updated_at: Timestamp,
});

/** Returns the common fields that monitors of a check type do not have. */
function fieldsWithout(type: CheckType): string[] {
  return [
    ...monitorSettingNames.filter((name) => !hasSetting(type, name)),
    ...(mayHaveSecrets(type) ? [] : ['secrets', 'secret_names']),
    ...(type === 'heartbeat' ? [] : ['heartbeat_token', 'heartbeat_url']),
  ];
}

/** Returns the variants of a monitor by check type. Only a heartbeat monitor may omit its config. */
function variantsOf(title: (type: CheckType) => string) {
  return Object.fromEntries(
    checkTypes.names.map((type) => [
      type,
      { title: title(type), fields: { config: monitorConfigs[type] }, without: fieldsWithout(type) },
    ]),
  );
}

export const MonitorSchema = withVariants(
  monitor,
  'check_type',
  variantsOf((type) => titleOf(type, 'monitor')),
);

const settings = {
  ...settingsOfRequest(),
  enabled: Type.Optional(Type.Boolean({ default: true })),
  secrets: Type.Optional(Secrets),
  alert_channel_ids: Type.Optional(
    Type.Array(ChannelLinkInput, {
      maxItems: MAX_CHANNELS_OF_MONITOR,
      description: 'Absent on create: every default channel',
    }),
  ),
};

const createVariants = variantsOf((type) => titleOf('create', type, 'monitor'));

export const MonitorCreate = withVariants(
  Type.Object({
    name: Name,
    check_type: oneOf(checkTypes.names),
    config: Type.Optional(Config),
    ...settings,
  }),
  'check_type',
  {
    ...createVariants,
    heartbeat: {
      title: titleOf('create', 'heartbeat', 'monitor'),
      fields: { config: Type.Optional(monitorConfigs.heartbeat) },
      without: fieldsWithout('heartbeat'),
    },
  },
);

/** Maximum number of monitors that one request creates. */
const MAX_BATCH = 200;

export const MonitorBatch = Type.Object({
  monitors: Type.Array(MonitorCreate, { minItems: 1, maxItems: MAX_BATCH }),
});

export const MonitorPatch = Type.Object({
  name: Type.Optional(Name),
  check_type: Type.Optional(oneOf(checkTypes.names, { description: "Can't be changed" })),
  config: Type.Optional(anyConfig(Config, monitorConfigs)),
  ...settings,
});

export const MonitorQuery = Type.Object({
  check_type: Type.Optional(oneOf(checkTypes.names)),
  enabled: Type.Optional(Type.Boolean()),
  state: Type.Optional(oneOf(monitorStates.names)),
  q: Type.Optional(Type.String({ maxLength: 255, description: 'Part of the name, in upper or lower case' })),
  ...pageQuery,
});

export const StateSchema = Type.Object({
  state: nullable(Type.String({ enum: [...monitorStates.names, null] })),
  entered_at: nullable(Type.String({ format: 'date-time', maxLength: 27, description: 'UTC, microseconds' })),
  previous_state: nullable(Type.String({ enum: [...monitorStates.names, null] })),
});

const milliseconds = Type.Optional(Type.Number({ description: 'Milliseconds' }));

const position = { minimum: 1, description: 'From 1' };

const ScriptSchema = Type.Object(
  {
    steps: Type.Array(
      Type.Object({
        name: Type.String({ maxLength: 1_000, examples: ['log in'] }),
        ms: Type.Number({ minimum: 0, description: 'Milliseconds', examples: [312] }),
        passed: Type.Boolean(),
      }),
      { maxItems: 1_000, description: 'In the order in which they ended' },
    ),
    log: Type.Array(Type.String({ maxLength: 10_000, examples: ['2 items in the cart'] }), {
      maxItems: 1_000,
      description: 'Lines of the console',
    }),
    location: nullable(
      Type.Object(
        { line: Type.Integer(position), column: Type.Integer(position) },
        { description: 'Where it failed; null when it did not, or when the place is not known' },
      ),
    ),
    screenshot_url: nullable(
      Type.String({
        format: 'uri',
        maxLength: MAX_URL,
        description: 'Picture of the page when it failed; null when there is none',
      }),
    ),
  },
  { description: 'Synthetic only: what the script did. Without the values of secrets' },
);

/** Maximum number of regions in an installation. */
export const MAX_REGIONS = 100;

export const Region = Type.String({ maxLength: 63, description: 'Region label', examples: ['us-east'] });

export const CheckSchema = Type.Object({
  region: Region,
  outcome: oneOf(checkOutcomes.names),
  error: nullable(shortText({ description: 'What went wrong, for a person' })),
  status_code: nullable(Type.Integer()),
  phases: Type.Object({
    dns: milliseconds,
    connect: milliseconds,
    tls: milliseconds,
    first_byte: milliseconds,
    total: milliseconds,
  }),
  checked_at: Timestamp,
  script: Type.Optional(ScriptSchema),
});

export function toMonitorJson(monitor: Monitor, baseUrl: string): Static<typeof MonitorSchema> {
  return monitorResourceWith(monitor, baseUrl, new RawJson(monitor.configJson));
}

export function monitorFilter(query: Static<typeof MonitorQuery>) {
  return {
    checkType: checkTypes.toValue(query.check_type),
    enabled: query.enabled,
    state: monitorStates.toValue(query.state),
    nameContains: query.q,
    limit: query.limit,
    cursor: query.cursor,
  };
}

/** Maps the fields that POST and PATCH bodies have in common. */
export function monitorFields(body: Static<typeof MonitorPatch>) {
  const numbers: Partial<MonitorNumbers> = Object.fromEntries(
    monitorSettingNames.map((name) => [MONITOR_SETTINGS[name].property, body[name]]),
  );
  return {
    ...numbers,
    enabled: body.enabled,
    secrets: body.secrets && secretChanges(body.secrets),
    alertChannels: body.alert_channel_ids && channelLinks(body.alert_channel_ids),
  };
}

function channelLinks(links: readonly (string | ChannelLinkInput)[]) {
  return {
    ids: links.map((link) => (typeof link === 'string' ? link : link.channel_id)),
    settings: links
      .filter((link) => typeof link !== 'string')
      .map(({ channel_id: channelId, after_minutes: afterMinutes = 0, events }) => ({
        channelId,
        afterMinutes,
        events: [...(events ?? [])],
      })),
  };
}

function secretChanges(secrets: Record<string, string | null>) {
  const entries = Object.entries(secrets);
  return {
    set: entries.flatMap(([name, value]) => (value === null ? [] : [{ name, value }])),
    removed: entries.flatMap(([name, value]) => (value === null ? [name] : [])),
  };
}

export function toCheckJson(
  { region, outcome, error, statusCode, phases, checkedAt, script }: RegionResult,
  screenshotUrl?: string,
): Static<typeof CheckSchema> {
  const { dns, connect, tls, firstByte, total } = phases ?? {};
  return {
    region,
    outcome: checkOutcomes.toName(outcome),
    error: error || null,
    status_code: statusCode || null,
    phases: { dns, connect, tls, first_byte: firstByte, total },
    checked_at: toSeconds(checkedAt),
    ...(script && { script: toScriptJson(script, screenshotUrl) }),
  };
}

function toScriptJson(
  { steps, log, line, column, hasScreenshot }: ScriptRun,
  url: string | undefined,
): Static<typeof ScriptSchema> {
  return {
    steps: steps.map(({ name, ms, passed }) => ({ name, ms, passed })),
    log,
    location: line > 0 ? { line, column } : null,
    screenshot_url: (hasScreenshot && url) || null,
  };
}

/**
 * Maps the state of a monitor to JSON. All fields are null for a monitor that has no state yet, such as a new, disabled
 * one.
 */
export function toStateJson(record: GetMonitorStateResponse): Static<typeof StateSchema> {
  const { state, enteredAt, previousState } = record;
  if (!enteredAt) return { state: null, entered_at: null, previous_state: null };
  return {
    state: monitorStates.toName(state),
    entered_at: toMicroseconds(enteredAt),
    previous_state: previousState ? monitorStates.toName(previousState) : null,
  };
}
