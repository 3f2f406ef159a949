/**
 * JSON Schema of the documents of the Statuspage API v2. It contains every field of the public description
 * (https://metastatuspage.com/api) with its type.
 */
const text = { type: 'string' };
const time = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' };
const orNull = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });
const arrayOf = (items: object) => ({ type: 'array', items });
const exactly = (properties: Record<string, object>, optional: Record<string, object> = {}) => ({
  type: 'object',
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
  additionalProperties: false,
});

const page = exactly({ id: text, name: text, url: text, time_zone: text, updated_at: time });
const status = exactly({
  indicator: { enum: ['none', 'minor', 'major', 'critical', 'maintenance'] },
  description: text,
});
const componentStatus = {
  enum: ['operational', 'degraded_performance', 'partial_outage', 'major_outage', 'under_maintenance'],
};
const component = exactly(
  {
    id: text,
    name: text,
    status: componentStatus,
    created_at: time,
    updated_at: time,
    position: { type: 'integer', minimum: 1 },
    description: orNull(text),
    showcase: { type: 'boolean' },
    start_date: orNull(text),
    group_id: orNull(text),
    page_id: text,
    group: { type: 'boolean' },
    only_show_if_degraded: { type: 'boolean' },
  },
  { components: arrayOf(text) },
);
const update = exactly({
  id: text,
  status: text,
  body: text,
  incident_id: text,
  created_at: time,
  updated_at: time,
  display_at: time,
  affected_components: orNull(arrayOf({ type: 'object' })),
  deliver_notifications: { type: 'boolean' },
  custom_tweet: orNull(text),
  tweet_id: orNull(text),
});
const ofBoth = (impacts: string[], statuses: string[]) => ({
  id: text,
  name: text,
  status: { enum: statuses },
  created_at: time,
  updated_at: time,
  monitoring_at: orNull(time),
  resolved_at: orNull(time),
  impact: { enum: impacts },
  shortlink: text,
  started_at: time,
  page_id: text,
  incident_updates: arrayOf(update),
  components: arrayOf(exactly({ id: text, name: text, status: componentStatus })),
});
const incident = exactly(
  ofBoth(['none', 'minor', 'major', 'critical'], ['investigating', 'identified', 'monitoring', 'resolved']),
);
const maintenance = exactly({
  ...ofBoth(['maintenance'], ['scheduled', 'in_progress', 'verifying', 'completed']),
  scheduled_for: time,
  scheduled_until: orNull(time),
});

const incidents = exactly({ page, incidents: arrayOf(incident) });
const maintenances = exactly({ page, scheduled_maintenances: arrayOf(maintenance) });

/** Schemas by the path of the document below `api/v2/`. */
export const STATUSPAGE_V2_SCHEMAS: Readonly<Record<string, object>> = {
  'summary.json': exactly({
    page,
    status,
    components: arrayOf(component),
    incidents: arrayOf(incident),
    scheduled_maintenances: arrayOf(maintenance),
  }),
  'status.json': exactly({ page, status }),
  'components.json': exactly({ page, components: arrayOf(component) }),
  'incidents.json': incidents,
  'incidents/unresolved.json': incidents,
  'scheduled-maintenances.json': maintenances,
  'scheduled-maintenances/upcoming.json': maintenances,
  'scheduled-maintenances/active.json': maintenances,
};
