import { get, isObject, type Json, type JsonObject, objectsOf, textOf } from '../json.ts';
import { kumaChannel } from './kuma-channel.ts';
import { confirmMinutes, intervalOf, slugOf, UniqueNames } from './names.ts';
import { type Imported, Report } from './report.ts';

/** Content of an Uptime Kuma backup or database. The keys of a row are column names or, in a backup, field names. */
export interface KumaData {
  readonly monitors: readonly JsonObject[];
  readonly notifications: readonly JsonObject[];
  /** Pairs of a monitor's id and a notification's id. */
  readonly links: readonly (readonly [monitor: string, notification: string])[];
  readonly pages: readonly KumaPage[];
  /** Number of rows of each kind that can't be converted. The keys are the names of the kinds in the report. */
  readonly others: Readonly<Record<string, number>>;
}

export interface KumaPage {
  readonly row: JsonObject;
  readonly groups: readonly { readonly name: string; readonly monitors: readonly string[] }[];
  readonly domains: readonly string[];
}

/** Reads the JSON of a backup. */
export function readKumaBackup(content: unknown): KumaData {
  const monitors = objectsOf(get(content, 'monitorList'));
  return {
    monitors,
    notifications: objectsOf(get(content, 'notificationList')),
    links: monitors.flatMap((monitor) =>
      Object.entries(isObject(monitor.notificationIDList) ? monitor.notificationIDList : {})
        .filter(([, linked]) => linked === true)
        .map(([notification]) => [String(monitor.id), notification] as const),
    ),
    pages: [],
    others: { proxy: objectsOf(get(content, 'proxyList')).length },
  };
}

/** Converts monitors, notifications and status pages from Uptime Kuma. */
export function importKuma({ monitors, notifications, links, pages, others }: KumaData): Imported {
  const report = new Report();
  const channelNames = new Map<string, string>();
  const names = new UniqueNames();
  const channels = notifications.flatMap((row) => {
    const name = names.take(textOf(row.name), 'Notification');
    const channel = kumaChannel(row, name, report);
    if (channel) channelNames.set(String(row.id), name);
    return channel ? [channel] : [];
  });
  const monitorNames = new Map<string, string>();
  const uniqueNames = new UniqueNames();
  const converted = monitors.flatMap((row) => {
    const name = uniqueNames.take(textOf(row.name), `Monitor ${row.id}`);
    const monitor = new KumaMonitor(row, name, report).convert();
    if (!monitor) return [];
    monitorNames.set(String(row.id), name);
    const own = links.filter(([id]) => id === String(row.id)).map(([, notification]) => notification);
    const alert_channels = own.flatMap((id) => channelNames.get(id) ?? []);
    if (own.length > alert_channels.length) report.change(`"${name}"`, 'links to alert channels that are missing');
    return [{ ...monitor, alert_channels }];
  });
  for (const [what, count] of Object.entries(others)) {
    for (let number = 0; number < count; number += 1) report.skip(what, 'has no counterpart');
  }
  return {
    content: {
      alert_channels: channels,
      monitors: converted,
      status_pages: pages.map((page) => pageOf(page, monitorNames, report)),
    },
    report,
  };
}

const UNSUPPORTED: Readonly<Record<string, string>> = {
  ping: 'there are no ping checks; a tcp monitor is similar',
  group: 'groups of monitors; status pages have groups of their own',
};

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  xml: 'text/xml; charset=utf-8',
};

class KumaMonitor {
  readonly #row: JsonObject;
  readonly #name: string;
  readonly #report: Report;

  constructor(row: JsonObject, name: string, report: Report) {
    this.#row = row;
    this.#name = name;
    this.#report = report;
  }

  convert(): JsonObject | undefined {
    const type = textOf(this.#row.type);
    const specific = this.#specific(type);
    if (typeof specific === 'string') {
      this.#report.skip(`"${this.#name}"`, specific);
      return undefined;
    }
    if (this.#flag('upsideDown', 'upside_down')) {
      this.#report.skip(`"${this.#name}"`, 'there are no inverted monitors');
      return undefined;
    }
    const seconds = Number(this.#row.interval ?? 60);
    const interval = intervalOf(seconds);
    if (interval !== seconds) this.#changed('checked every 30 seconds, which is the shortest interval');
    const retries = Number(this.#row.maxretries ?? 0);
    const retryInterval = Number(this.#field('retryInterval', 'retry_interval') ?? seconds) || seconds;
    const timeout = Number(this.#row.timeout ?? 0) * 1000;
    this.#reportLosses();
    return {
      name: this.#name,
      check_type: specific.check_type ?? null,
      config: specific.config ?? {},
      interval_seconds: interval,
      ...(timeout > 0 && type !== 'push' && { timeout_ms: Math.round(Math.min(60_000, Math.max(1_000, timeout))) }),
      confirm_down_minutes: confirmMinutes(retries, retryInterval),
      confirm_up_minutes: 0,
      ...(this.#isOff() && { enabled: false }),
      ...(specific.secrets && { secrets: specific.secrets }),
    };
  }

  /** Returns the check type, config and secrets, or the reason why the monitor can't be carried over. */
  #specific(type: string): JsonObject | string {
    const host = textOf(this.#row.hostname);
    switch (type) {
      case 'http':
      case 'keyword':
      case 'json-query':
        return this.#http(type);
      case 'port':
        return { check_type: 'tcp', config: { host, port: Number(this.#row.port) } };
      case 'dns':
        return { check_type: 'dns', config: { host, ...this.#dns() } };
      case 'push':
        this.#changed('the URL that the job calls is another one');
        return {
          check_type: 'heartbeat',
          config: { expected_interval: Math.min(86_400, Math.max(10, Number(this.#row.interval ?? 60))) },
        };
      default:
        return UNSUPPORTED[type] ?? `there are no ${type || 'such'} checks`;
    }
  }

  #http(type: string): JsonObject {
    const { url, method, body, keyword, maxredirects } = this.#row;
    const user = textOf(this.#row.basic_auth_user);
    const authorization = user && Buffer.from(`${user}:${textOf(this.#row.basic_auth_pass)}`).toString('base64');
    const headers = {
      ...this.#contentType(),
      ...this.#headers(),
      ...(authorization && { authorization: 'Basic {{BASIC_AUTH}}' }),
    };
    const codes = this.#statusCodes();
    const inverted = this.#flag('invertKeyword', 'invert_keyword');
    if (type === 'json-query') this.#changed('the JSON path of the response is not checked');
    return {
      check_type: 'http',
      config: {
        url: textOf(url),
        ...(textOf(method) && method !== 'GET' && { method: textOf(method) }),
        ...(Object.keys(headers).length > 0 && { headers }),
        ...(textOf(body) && { body: textOf(body) }),
        ...(codes && { expected_status_codes: codes }),
        ...(maxredirects === 0 && { follow_redirects: false }),
        ...(type === 'keyword' && { [inverted ? 'unexpected_keyword' : 'expected_keyword']: textOf(keyword) }),
        ...(this.#flag('ignoreTls', 'ignore_tls') && { verify_tls: false }),
      },
      ...(authorization && { secrets: { BASIC_AUTH: authorization } }),
    };
  }

  /** Returns the content type that Uptime Kuma adds to a request with a body. */
  #contentType(): JsonObject {
    if (!textOf(this.#row.body)) return {};
    const encoding = textOf(this.#field('httpBodyEncoding', 'http_body_encoding')) || 'json';
    const type = Object.hasOwn(CONTENT_TYPES, encoding) ? CONTENT_TYPES[encoding] : undefined;
    return type === undefined ? {} : { 'content-type': type };
  }

  #dns(): JsonObject {
    const servers = textOf(this.#row.dns_resolve_server).split(',');
    if (servers.length > 1) this.#changed('only the first name server is asked');
    const [server = ''] = servers.map((text) => text.trim());
    const port = Number(this.#row.port ?? 53);
    return {
      record_type: textOf(this.#row.dns_resolve_type) || 'A',
      ...(server && { nameserver: port === 53 ? server : `${server.includes(':') ? `[${server}]` : server}:${port}` }),
    };
  }

  #headers(): JsonObject {
    const text = textOf(this.#row.headers);
    if (text === '') return {};
    try {
      const headers: unknown = JSON.parse(text);
      if (isObject(headers)) {
        return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
      }
    } catch {
      // The invalid text is reported below.
    }
    this.#changed('the headers are not valid JSON and are left out');
    return {};
  }

  /** Returns the accepted status codes; undefined for the default of Uptime Kuma. */
  #statusCodes(): number[] | undefined {
    const { accepted_statuscodes: list, accepted_statuscodes_json: text } = this.#row;
    const ranges: unknown = Array.isArray(list) ? list : parsed(textOf(text));
    if (!Array.isArray(ranges) || ranges.length === 0) return undefined;
    if (ranges.length === 1 && ranges[0] === '200-299') return undefined;
    return ranges.flatMap((range: unknown) => {
      const [from = Number.NaN, to = from] = String(range).split('-').map(Number);
      return Array.from({ length: Math.max(0, Math.min(599, to) - from + 1) }, (_, index) => from + index);
    });
  }

  #reportLosses(): void {
    if (this.#field('proxyId', 'proxy_id')) this.#changed('no proxy is used');
    if (Number(this.#field('resendInterval', 'resend_interval') ?? 0) > 0) {
      this.#changed('reminders are a setting of alert channels: reminder_minutes');
    }
    if (objectsOf(this.#row.tags).length > 0) this.#changed('tags are left out');
    if (textOf(this.#row.description)) this.#changed('the description is left out');
    const auth = textOf(this.#field('authMethod', 'auth_method'));
    if (!['', 'basic', 'null'].includes(auth)) this.#changed(`no ${auth} authentication is used`);
  }

  #isOff(): boolean {
    return this.#row.active === false || this.#row.active === 0;
  }

  #field(backup: string, column: string): Json | undefined {
    return this.#row[backup] ?? this.#row[column];
  }

  #flag(backup: string, column: string): boolean {
    const value = this.#field(backup, column);
    return value === true || value === 1;
  }

  #changed(difference: string): void {
    this.#report.change(`"${this.#name}"`, difference);
  }
}

function pageOf({ row, groups, domains }: KumaPage, names: ReadonlyMap<string, string>, report: Report): JsonObject {
  const title = textOf(row.title) || textOf(row.slug);
  const slug = slugOf(textOf(row.slug));
  if (slug !== row.slug) report.change(`"${title}"`, `its address ends with /${slug}`);
  for (const field of ['footer_text', 'custom_css', 'password', 'google_analytics_tag_id']) {
    if (textOf(row[field])) report.change(`"${title}"`, `${field} is left out`);
  }
  for (const domain of domains) report.skip(domain, 'domains of status pages have to be proved again');
  return {
    name: title,
    slug,
    ...(textOf(row.description) && { description: textOf(row.description) }),
    ...(['light', 'dark'].includes(textOf(row.theme)) && { theme: textOf(row.theme) }),
    ...((row.published === 1 || row.published === true) && { enabled: true }),
    ...((row.search_engine_index === 0 || row.search_engine_index === false) && { noindex: true }),
    components: groups.map(({ name, monitors }) => ({
      group: name.trim(),
      components: monitors.flatMap((id) => {
        const monitor = names.get(id);
        return monitor === undefined ? [] : [{ component: monitor, monitors: [monitor] }];
      }),
    })),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
