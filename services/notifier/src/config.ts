import {
  type AllowedTargets,
  PUBLIC_RESOLVERS,
  parseAllowedTargets,
  parseClosedPorts,
  parseNameServers,
  parseReferences,
  type Reference,
} from '@tocsin/netguard';
import { ConfigReader, type Environment } from '@tocsin/runtime';
import { type DatabaseConfig, readDatabaseConfig } from '@tocsin/service';
import { parseVaultKeys, type VaultKeys } from '@tocsin/vault';
import type { ApiUrls } from './channels/kinds.ts';
import { parseSender, parseSmtpUrl } from './clients/smtp-settings.ts';
import { DEFAULT_CALM_CHANGES } from './domain/flapping.ts';
import { DEFAULT_MAX_MESSAGES_PER_HOUR } from './domain/message-limit.ts';
import { DEFAULT_RETRY_BASE_MS } from './domain/settle.ts';
import { DEFAULT_STORM_MONITORS } from './domain/storm.ts';

export interface NotifierConfig extends DatabaseConfig {
  readonly statuspageUrl: string;
  readonly monitorUrl: string;
  readonly disruptionUrl: string;
  /** Vault keys for the configurations of channels. The first key encrypts, and all keys can decrypt. */
  readonly vaultKeys: VaultKeys;
  /** File with the vault keys, which is read again while the program runs; undefined for keys in a variable. */
  readonly vaultKeysFile?: string | undefined;
  /** Address ranges that channels may reach in addition to the public Internet. */
  readonly allowedTargets: AllowedTargets;
  /** Ports of private addresses that alerts may not reach, even if the address range is allowed. */
  readonly closedPorts: ReadonlySet<number>;
  /** Name servers for host names that tenants choose. Defaults to the machine's name servers. */
  readonly nameServers?: readonly string[] | undefined;
  /**
   * A failure counts against a receiver only if one of these hosts is reachable. If the list is empty, every failure
   * counts.
   */
  readonly references: readonly Reference[];
  /** Public base URL of the installation, for links in alerts. */
  readonly baseUrl: string;
  readonly apiUrls: ApiUrls;
  /** URL of the SMTP server; undefined if mail is not configured. */
  readonly smtpUrl: string | undefined;
  /** Sender of emails, such as `Tocsin <tocsin@example.com>` or an address alone. */
  readonly mailFrom: string;
  /**
   * Milliseconds before the first retry of an alert. The later delays and the total retry time are proportional to this
   * value.
   */
  readonly retryBaseMs: number;
  /**
   * If at least this number of an organization's monitors change within 20 seconds, each channel gets one message about
   * all of them; 0 disables grouping.
   */
  readonly stormMonitors: number;
  /** A monitor is flapping after more than this number of changes within 15 minutes; 0 disables flapping detection. */
  readonly calmChanges: number;
  /** Maximum number of messages per hour to a channel without its own limit; 0 means no limit. */
  readonly maxMessagesPerHour: number;
  /**
   * Delays, in milliseconds, between the attempts to send a message to a webhook subscription. The first element is the
   * delay after the first attempt.
   */
  readonly subscriptionWaitsMs: readonly number[];
}

/** Default delays between the attempts to send a message to a webhook subscription, in seconds. */
const WAITS = '5,300,1800,7200,18000,36000,50400,72000,86400';

const MAX_WAIT_S = 7 * 24 * 3600;

/**
 * Reads the configuration from the environment.
 * @throws ConfigError that lists all invalid settings.
 */
export function loadConfig(env: Environment): NotifierConfig {
  const read = new ConfigReader(env);
  return read.done({
    ...readDatabaseConfig(read, 'notifier', { rpcPort: 7106, adminPort: 7206, connections: 16 }),
    statuspageUrl: read.url('TOCSIN_STATUSPAGE_URL'),
    monitorUrl: read.url('TOCSIN_MONITOR_URL'),
    disruptionUrl: read.url('TOCSIN_DISRUPTION_URL'),
    vaultKeys: read.parsed('TOCSIN_VAULT_KEYS', parseVaultKeys),
    vaultKeysFile: read.fileOf('TOCSIN_VAULT_KEYS'),
    allowedTargets: read.parsed('TOCSIN_ALLOW_PRIVATE_TARGETS', parseAllowedTargets, ''),
    closedPorts: read.parsed('TOCSIN_CLOSED_PORTS', parseClosedPorts, ''),
    nameServers: read.parsed('TOCSIN_NAME_SERVERS', parseNameServers, ''),
    references: read.parsed('TOCSIN_NOTIFIER_REFERENCES', parseReferences, PUBLIC_RESOLVERS),
    baseUrl: read.url('TOCSIN_BASE_URL', 'http://localhost:8080'),
    apiUrls: {
      slack: read.url('TOCSIN_SLACK_URL', 'https://slack.com'),
      discord: read.url('TOCSIN_DISCORD_URL', 'https://discord.com'),
      pagerduty: read.url('TOCSIN_PAGERDUTY_URL', 'https://events.pagerduty.com'),
      pagerdutyEu: read.url('TOCSIN_PAGERDUTY_EU_URL', 'https://events.eu.pagerduty.com'),
      telegram: read.url('TOCSIN_TELEGRAM_URL', 'https://api.telegram.org'),
      pushover: read.url('TOCSIN_PUSHOVER_URL', 'https://api.pushover.net'),
      ilert: read.url('TOCSIN_ILERT_URL', 'https://api.ilert.com'),
      incidentIo: read.url('TOCSIN_INCIDENT_IO_URL', 'https://api.incident.io'),
      twilio: read.url('TOCSIN_TWILIO_URL', 'https://api.twilio.com'),
      googleChat: read.url('TOCSIN_GOOGLE_CHAT_URL', 'https://chat.googleapis.com'),
      opsgenie: read.url('TOCSIN_OPSGENIE_URL', 'https://api.opsgenie.com'),
      opsgenieEu: read.url('TOCSIN_OPSGENIE_EU_URL', 'https://api.eu.opsgenie.com'),
      atlassian: read.url('TOCSIN_ATLASSIAN_URL', 'https://api.atlassian.com'),
      sns: read.parsed('TOCSIN_SNS_URL', parseOptionalUrl, ''),
    },
    smtpUrl: read.parsed('TOCSIN_SMTP_URL', parseSmtpUrl, ''),
    mailFrom: read.parsed('TOCSIN_MAIL_FROM', parseSender, 'Tocsin <tocsin@localhost>'),
    retryBaseMs: read.integer('TOCSIN_ALERT_RETRY_MS', { min: 10, max: 60_000 }, DEFAULT_RETRY_BASE_MS),
    stormMonitors: read.integer('TOCSIN_STORM_MONITORS', { min: 0, max: 10_000 }, DEFAULT_STORM_MONITORS),
    calmChanges: read.integer('TOCSIN_CALM_CHANGES', { min: 0, max: 100 }, DEFAULT_CALM_CHANGES),
    maxMessagesPerHour: read.integer(
      'TOCSIN_MAX_MESSAGES_PER_HOUR',
      { min: 0, max: 100_000 },
      DEFAULT_MAX_MESSAGES_PER_HOUR,
    ),
    subscriptionWaitsMs: read.parsed('TOCSIN_WEBHOOK_RETRY_SECONDS', parseWaits, WAITS),
  });
}

/**
 * Returns a URL without a trailing slash. Returns an empty string unchanged.
 * @throws Error if the text is not a URL.
 */
function parseOptionalUrl(text: string): string {
  if (text !== '' && !/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw new Error('must be an http or https URL');
  return text.replace(/\/+$/, '');
}

/**
 * Parses a comma-separated list of seconds, and returns milliseconds. @throws Error for anything except positive
 * numbers.
 */
function parseWaits(text: string): number[] {
  return text.split(',').map((part) => {
    const seconds = Number(part);
    if (!(seconds > 0 && seconds <= MAX_WAIT_S)) throw new Error(`must be seconds such as ${WAITS}`);
    return seconds * 1000;
  });
}
