import { isIP } from 'node:net';
import { parse } from 'yaml';
import { get, isObject, type Json, type JsonObject, objectsOf, textOf } from '../json.ts';
import { gatusChannel } from './gatus-channel.ts';
import { type Conditions, conditionsOf } from './gatus-conditions.ts';
import { goDurationMs } from './go-duration.ts';
import { confirmMinutes, intervalOf, slugOf, UniqueNames } from './names.ts';
import { type Imported, Report } from './report.ts';

/** Alert kinds for a channel to which Gatus sends no recoveries. */
const WITHOUT_RECOVERIES = ['monitor_down', 'monitor_stale', 'cert_expiring'];

const UNSUPPORTED_CLIENT = ['proxy-url', 'dns-resolver', 'oauth2', 'identity-aware-proxy', 'tls', 'tunnel'];
const UNSUPPORTED_SECTIONS = ['maintenance', 'suites', 'remote', 'tunneling', 'announcements'];

/** Parses the YAML of a configuration. Like Gatus, it resolves the merge keys (`<<`) of YAML 1.1. */
export function parseGatus(text: string): unknown {
  // The limit is high because every endpoint may refer to the same anchors.
  return parse(text, { merge: true, maxAliasCount: 100_000 });
}

/** Converts the configuration of Gatus. */
export function importGatus(content: unknown): Imported {
  const report = new Report();
  const alerting = get(content, 'alerting');
  const channels = Object.entries(isObject(alerting) ? alerting : {}).flatMap(
    ([type, settings]) => gatusChannel(type, settings, report) ?? [],
  );
  for (const section of UNSUPPORTED_SECTIONS) {
    if (get(content, section) !== undefined) report.skip(section, 'sections without a counterpart');
  }
  const names = new UniqueNames();
  const endpoints = [
    // Before version 4, endpoints were named services.
    ...objectsOf(get(content, 'endpoints') ?? get(content, 'services')).map((endpoint) => ({ endpoint, push: false })),
    ...objectsOf(get(content, 'external-endpoints')).map((endpoint) => ({ endpoint, push: true })),
  ];
  const placed: { monitor: JsonObject; group: string; title: string }[] = [];
  for (const { endpoint, push } of endpoints) {
    const title = textOf(endpoint.name);
    const name = names.take(title, 'Endpoint');
    const specific = push ? heartbeat(endpoint, name, report) : check(endpoint, name, report);
    if (!specific) continue;
    const monitor = {
      name,
      ...specific,
      ...(endpoint.enabled === false && { enabled: false }),
      ...alertsOf(endpoint, Number(specific.interval_seconds), { alerting, channels, name, report }),
    };
    placed.push({ monitor, group: textOf(endpoint.group), title: title || name });
  }
  const ui = get(content, 'ui');
  const pageName = textOf(get(ui, 'header')) || textOf(get(ui, 'title')) || 'Status';
  return {
    content: {
      alert_channels: channels,
      monitors: placed.map(({ monitor }) => monitor),
      status_pages:
        placed.length === 0
          ? []
          : [{ name: pageName, slug: slugOf(pageName), enabled: true, components: tree(placed) }],
    },
    report,
  };
}

/**
 * Returns the check type, config and interval of an endpoint. If no check type fits, reports that and returns
 * undefined.
 */
function check(endpoint: JsonObject, name: string, report: Report): JsonObject | undefined {
  const changed = (difference: string) => report.change(`"${name}"`, difference);
  const url = textOf(endpoint.url);
  const [, scheme = ''] = /^([a-z0-9+]+):\/\//i.exec(url) ?? [];
  const isDns = isObject(endpoint.dns);
  const isHttp = ['http', 'https'].includes(scheme) && endpoint.grpc === undefined && endpoint.ssh === undefined;
  if (!isDns && !isHttp && !['tcp', 'tls'].includes(scheme)) {
    const kind = endpoint.grpc === undefined ? scheme || 'such' : 'grpc';
    report.skip(`"${name}"`, `there are no ${kind} checks`);
    return undefined;
  }
  const conditions = conditionsOf(Array.isArray(endpoint.conditions) ? endpoint.conditions.map(String) : []);
  const client = isObject(endpoint.client) ? endpoint.client : {};
  const base = { ...intervalsOf(endpoint, changed), ...timeoutOf(client) };
  for (const option of UNSUPPORTED_CLIENT) if (client[option] !== undefined) changed(`client.${option} is left out`);
  for (const condition of conditions.certificate) {
    changed(`alerts 28, 14, 7, 1 and 0 days before the certificate expires replace the condition ${condition}`);
  }
  const lost = (others: readonly string[]) => {
    for (const condition of [...conditions.lost, ...others]) changed(`the condition ${condition} is not checked`);
  };
  if (isObject(endpoint.dns)) {
    lost(onlyOfHttp(conditions));
    const nameserver = url.replace(/^[a-z]+:\/\//i, '').replace(/:53$/, '');
    const isAddress = isIP(nameserver.replace(/^\[|\](:\d+)?$|(?<=\.\d+):\d+$/g, '')) > 0;
    if (!isAddress) changed('the name servers of the checkers are asked, because the one given is no IP address');
    return {
      check_type: 'dns',
      config: {
        host: textOf(endpoint.dns['query-name']),
        record_type: textOf(endpoint.dns['query-type']) || 'A',
        ...(isAddress && { nameserver }),
        ...(conditions.body.length > 0 && { expected_records: conditions.body }),
      },
      ...base,
    };
  }
  if (['tcp', 'tls'].includes(scheme)) {
    lost([...conditions.body.map((text) => `[BODY] == ${text}`), ...onlyOfHttp(conditions)]);
    const { hostname, port } = new URL(url.replace(/^[a-z]+:/i, 'http:'));
    const config = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) };
    return { check_type: 'tcp', config: { ...config, ...(scheme === 'tls' && { tls: true }) }, ...base };
  }
  if (/\$\{?[A-Za-z_]/.test([url, endpoint.body, ...Object.values(get(endpoint, 'headers') ?? {})].join('\n'))) {
    changed('variables of the environment in its URL, headers or body are not replaced; use secrets');
  }
  lost([]);
  for (const text of conditions.body) changed(`the response must contain ${JSON.stringify(text)} instead of equal it`);
  if (endpoint.graphql === true) changed('the body is sent as it is, not as a GraphQL query');
  const { method, body, headers } = endpoint;
  const [keyword] = [...conditions.contains, ...conditions.body];
  return {
    check_type: 'http',
    config: {
      url,
      ...(textOf(method) && method !== 'GET' && { method: textOf(method) }),
      ...(isObject(headers) && {
        headers: Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, String(v)])),
      }),
      ...(textOf(body) && { body: textOf(body) }),
      ...(conditions.statuses && { expected_status_codes: conditions.statuses }),
      ...(keyword !== undefined && { expected_keyword: keyword }),
      ...(conditions.lacks[0] !== undefined && { unexpected_keyword: conditions.lacks[0] }),
      ...(conditions.maxResponseTimeMs !== undefined && { max_response_time_ms: conditions.maxResponseTimeMs }),
      ...(client['ignore-redirect'] === true && { follow_redirects: false }),
      ...(client.insecure === true && { verify_tls: false }),
    },
    ...base,
  };
}

/** Returns the conditions that only http checks support, in the syntax of Gatus. */
function onlyOfHttp({ contains, lacks, maxResponseTimeMs }: Conditions): string[] {
  return [
    ...contains.map((text) => `[BODY] == pat(*${text}*)`),
    ...lacks.map((text) => `[BODY] != pat(*${text}*)`),
    ...(maxResponseTimeMs === undefined ? [] : [`[RESPONSE_TIME] < ${maxResponseTimeMs}`]),
  ];
}

function heartbeat(endpoint: JsonObject, name: string, report: Report): JsonObject | undefined {
  const ms = goDurationMs(textOf(get(endpoint.heartbeat, 'interval')));
  if (ms === undefined) {
    report.skip(`"${name}"`, 'external endpoints without heartbeat.interval');
    return undefined;
  }
  report.change(`"${name}"`, 'the job calls another URL');
  const seconds = Math.min(86_400, Math.max(10, Math.round(ms / 1000)));
  return { check_type: 'heartbeat', config: { expected_interval: seconds }, interval_seconds: intervalOf(seconds) };
}

function intervalsOf(endpoint: JsonObject, changed: (difference: string) => void): { interval_seconds: number } {
  const seconds = (goDurationMs(textOf(endpoint.interval)) ?? 60_000) / 1000;
  const interval = intervalOf(seconds);
  if (interval > seconds) changed('checked every 30 seconds, which is the shortest interval');
  if (interval < seconds) changed('checked every day, which is the longest interval');
  return { interval_seconds: interval };
}

function timeoutOf(client: JsonObject): JsonObject {
  const ms = goDurationMs(textOf(client.timeout));
  return ms === undefined ? {} : { timeout_ms: Math.min(60_000, Math.max(1_000, Math.round(ms))) };
}

interface AlertContext {
  readonly alerting: unknown;
  readonly channels: readonly JsonObject[];
  readonly name: string;
  readonly report: Report;
}

/**
 * Returns the links to alert channels, and the confirmation settings that correspond to the thresholds of the first
 * alert.
 */
function alertsOf(endpoint: JsonObject, intervalSeconds: number, context: AlertContext): JsonObject {
  const alerts = objectsOf(endpoint.alerts).map((alert) => {
    const defaults = get(get(context.alerting, textOf(alert.type)), 'default-alert');
    return { ...(isObject(defaults) ? defaults : {}), ...alert } as JsonObject;
  });
  const enabled = alerts.filter((alert) => alert.enabled !== false);
  const links = enabled.flatMap((alert): Json[] => {
    const type = textOf(alert.type);
    const channel = context.channels.find(({ name }) => name === type);
    if (!channel) {
      context.report.change(`"${context.name}"`, `no alerts go to ${type}, of which there is no alert channel`);
      return [];
    }
    return [alert['send-on-resolved'] === true ? type : { channel: type, events: WITHOUT_RECOVERIES }];
  });
  const [first] = enabled;
  if (!first) return { alert_channels: [] };
  const failures = Number(first['failure-threshold'] ?? 3);
  const successes = Number(first['success-threshold'] ?? 2);
  return {
    confirm_down_minutes: confirmMinutes(failures - 1, intervalSeconds),
    confirm_up_minutes: confirmMinutes(successes - 1, intervalSeconds),
    alert_channels: links,
  };
}

/**
 * Returns the structure of a page: the groups in the order of their first endpoints, then the endpoints without a
 * group.
 */
function tree(placed: readonly { monitor: JsonObject; group: string; title: string }[]): JsonObject[] {
  const groups = Map.groupBy(placed, ({ group }) => group);
  const components = (items: typeof placed) =>
    items.map(({ monitor, title }) => ({ component: title, monitors: [textOf(monitor.name)] }));
  return [
    ...[...groups].flatMap(([group, items]) => (group === '' ? [] : [{ group, components: components(items) }])),
    ...components(groups.get('') ?? []),
  ];
}
