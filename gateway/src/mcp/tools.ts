import { checkTypes, disruptionImpacts, disruptionStatuses } from '@tocsin/enums';
import { type Static, type TObject, type TProperties, Type } from 'typebox';
import { oneOf } from '../schemas/common.ts';
import { monitorConfigs } from '../schemas/monitor-config.ts';
import { RangeQuery } from '../schemas/monitor-history.ts';

/** Sends a request to the public API with the caller's credential, and returns `data` of the response. */
export type CallApi = <Data = Json>(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) => Promise<Data>;

type Json = Readonly<Record<string, unknown>>;

/** A tool for agents. Its result is small: it has only the fields that an agent needs to answer a person. */
export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: TObject;
  /** Whether the tool changes a resource, or makes the installation send a message or a request. */
  readonly writes: boolean;
  readonly run: (input: never, api: CallApi) => Promise<object>;
}

/** Maximum number of resources in a result. */
const MAX_ITEMS = 50;

const Id = (description: string) => Type.String({ format: 'uuid', maxLength: 36, description });
const MonitorId = { monitor_id: Id('Id of the monitor') };
const DisruptionId = { disruption_id: Id('Id of the disruption') };
const Message = Type.String({
  minLength: 1,
  maxLength: 10_000,
  description: 'Text of the timeline; visitors of the status page read it',
});

export const MCP_TOOLS: readonly McpTool[] = [
  tool({
    name: 'list_problems',
    title: 'What is down',
    description:
      'Lists the monitors that are down or have no recent data, and the disruptions that are not resolved. Start here for questions about the current situation.',
    input: {},
    async run(_, api) {
      const inState = (state: string) => api<Json[]>('GET', `/monitors?state=${state}&limit=${MAX_ITEMS}`);
      const [down, stale, disruptions] = await Promise.all([
        inState('down'),
        inState('stale'),
        api<Json[]>('GET', `/disruptions?limit=${MAX_ITEMS}`),
      ]);
      return {
        down: down.map(briefMonitor),
        without_recent_data: stale.map(briefMonitor),
        disruptions: disruptions.filter((disruption) => disruption.resolved_at === null).map(briefDisruption),
      };
    },
  }),
  tool({
    name: 'list_monitors',
    title: 'List monitors',
    description: `Lists at most ${MAX_ITEMS} monitors with their states, newest first. Narrow it down by a part of the name.`,
    input: { name: Type.Optional(Type.String({ maxLength: 255, description: 'Part of the name' })) },
    async run({ name }, api) {
      const monitors = await api<Json[]>(
        'GET',
        `/monitors?limit=${MAX_ITEMS}${name ? `&q=${encodeURIComponent(name)}` : ''}`,
      );
      return { monitors: monitors.map(briefMonitor) };
    },
  }),
  tool({
    name: 'explain_monitor',
    title: 'Explain an outage',
    description:
      'Returns the state of a monitor, its latest changes of state with their reasons, and its latest checks with the result of each region.',
    input: MonitorId,
    async run({ monitor_id: id }, api) {
      const path = `/monitors/${id}`;
      const [monitor, state, transitions, runs] = await Promise.all([
        api('GET', path),
        api('GET', `${path}/state`),
        api<Json[]>('GET', `${path}/transitions?limit=5`),
        api<Json[]>('GET', `${path}/runs?limit=5`),
      ]);
      const { config, interval_seconds, confirm_down_minutes, confirm_up_minutes } = monitor;
      const settings = { config, interval_seconds, confirm_down_minutes, confirm_up_minutes };
      return { monitor: { ...briefMonitor(monitor), ...settings }, state, transitions, latest_checks: runs };
    },
  }),
  tool({
    name: 'get_uptime',
    title: 'Get the uptime of a monitor',
    description:
      'Returns the share of passed checks of a monitor in a range of time, and the number of checks by result.',
    input: { ...MonitorId, ...RangeQuery.properties },
    run: ({ monitor_id: id, range = '24h' }, api) => api('GET', `/monitors/${id}/uptime?range=${range}`),
  }),
  tool({
    name: 'get_disruption',
    title: 'Get a disruption',
    description: 'Returns a disruption with its timeline, what the checks saw, and the affected components.',
    input: DisruptionId,
    run: ({ disruption_id: id }, api) => api('GET', `/disruptions/${id}`),
  }),
  tool({
    name: 'list_status_pages',
    title: 'List status pages',
    description: `Lists at most ${MAX_ITEMS} status pages with their status and address.`,
    input: {},
    async run(_, api) {
      const pages = await api<Json[]>('GET', `/status-pages?limit=${MAX_ITEMS}`);
      return {
        status_pages: pages.map(({ id, name, slug, status, enabled, url }) => ({
          id,
          name,
          slug,
          status,
          enabled,
          url,
        })),
      };
    },
  }),
  tool({
    name: 'get_status_page',
    title: 'Get a status page',
    description: 'Returns a status page with its groups and components, their ids and statuses.',
    input: { status_page_id: Id('Id of the status page') },
    run: ({ status_page_id: id }, api) => api('GET', `/status-pages/${id}`),
  }),
  tool({
    name: 'list_alert_channels',
    title: 'List alert channels',
    description: `Lists at most ${MAX_ITEMS} alert channels. A broken one says why.`,
    input: {},
    async run(_, api) {
      const channels = await api<Json[]>('GET', `/alert-channels?limit=${MAX_ITEMS}`);
      return {
        alert_channels: channels.map(({ id, name, type, enabled, broken_reason }) => ({
          id,
          name,
          type,
          enabled,
          broken_reason,
        })),
      };
    },
  }),
  tool({
    name: 'acknowledge_disruption',
    title: 'Acknowledge a disruption',
    description: 'Records that a person works on a disruption. Ends its reminders and escalation.',
    input: DisruptionId,
    writes: true,
    async run({ disruption_id: id }, api) {
      return briefDisruption(await api('POST', `/disruptions/${id}/acknowledge`));
    },
  }),
  tool({
    name: 'create_disruption',
    title: 'Open a disruption',
    description:
      'Opens a disruption that begins now, and publishes it on a status page if a page and its affected components are given.',
    input: {
      title: Type.String({ minLength: 1, maxLength: 255 }),
      message: Message,
      impact: Type.Optional(oneOf(disruptionImpacts.names)),
      status_page_id: Type.Optional(Id('Id of the status page; together with `component_ids`')),
      component_ids: Type.Optional(Type.Array(Id('Id of an affected component'), { maxItems: MAX_ITEMS })),
      component_status: Type.Optional(oneOf(['degraded_performance', 'partial_outage', 'major_outage'])),
    },
    writes: true,
    async run({ component_ids: ids, component_status: status = 'partial_outage', ...fields }, api) {
      const components = ids?.map((id) => ({ id, status }));
      const body = { ...fields, started_at: new Date().toISOString(), ...(components && { components }) };
      return briefDisruption(await api('POST', '/disruptions', body));
    },
  }),
  tool({
    name: 'update_disruption',
    title: 'Update a disruption',
    description:
      'Adds an entry to the timeline of a disruption, and sets its status. The status `resolved` ends the disruption.',
    input: {
      ...DisruptionId,
      message: Message,
      status: Type.Optional(oneOf(disruptionStatuses.names)),
    },
    writes: true,
    async run({ disruption_id: id, ...change }, api) {
      return briefDisruption(await api('PATCH', `/disruptions/${id}`, change));
    },
  }),
  tool({
    name: 'create_monitor',
    title: 'Create a monitor',
    description: `Creates a monitor. \`config\` depends on the type; required fields: ${requiredConfigs()}.`,
    input: {
      name: Type.String({ minLength: 1, maxLength: 255 }),
      check_type: oneOf(checkTypes.names),
      config: Type.Object({}, { additionalProperties: true, maxProperties: 1_000 }),
      interval_seconds: Type.Optional(Type.Integer()),
    },
    writes: true,
    async run(monitor, api) {
      return briefMonitor(await api('POST', '/monitors', monitor));
    },
  }),
  tool({
    name: 'test_alert_channel',
    title: 'Test an alert channel',
    description: 'Sends a test alert through a channel, and returns what the provider answered.',
    input: { alert_channel_id: Id('Id of the alert channel') },
    writes: true,
    run: ({ alert_channel_id: id }, api) => api('POST', `/alert-channels/${id}/test`),
  }),
];

function tool<Input extends TProperties>({
  input,
  writes = false,
  run,
  ...described
}: Pick<McpTool, 'name' | 'title' | 'description'> & {
  readonly input: Input;
  readonly writes?: boolean;
  readonly run: (input: Static<TObject<Input>>, api: CallApi) => Promise<object>;
}): McpTool {
  return {
    ...described,
    input: Type.Object(input, { additionalProperties: false }),
    writes,
    run: run as McpTool['run'],
  };
}

function briefMonitor({ id, name, check_type, current_state: state, enabled, alert_channels_broken }: Json): Json {
  return { id, name, check_type, state, enabled, ...(alert_channels_broken === true && { alert_channels_broken }) };
}

function briefDisruption({
  id,
  title,
  type,
  status,
  impact,
  started_at,
  resolved_at,
  acknowledged_at,
  updates,
}: Json): Json {
  const latest = Array.isArray(updates) ? updates[0] : undefined;
  return { id, title, type, status, impact, started_at, resolved_at, acknowledged_at, latest_update: latest };
}

/** Returns the required fields of each check type's config, such as `tcp {"host", "port"}`. */
function requiredConfigs(): string {
  return Object.entries(monitorConfigs)
    .map(([type, { required = [] }]) => `${type} {${required.map((field) => `"${field}"`).join(', ')}}`)
    .join(', ');
}
