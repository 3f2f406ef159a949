import { DNS_RECORD_TYPES } from '@tocsin/enums';
import type { FieldErrorCollector } from '@tocsin/errors';
import {
  type ConfigRules,
  checkFields,
  flag,
  integer,
  isHost,
  isIpWithPort,
  isListOf,
  oneOf,
  text,
} from './config-fields.ts';
import type { MonitorSettings } from './monitor.ts';
import { refuseUnsentHeaders, validateHttpConfig } from './validate-http-config.ts';

const host = {
  required: true,
  holds: isHost,
  words: 'must be a host name or an IP address such as shop.example.com, without a scheme or a port',
} as const;

/** Rules for the config fields of each check type except http. */
const RULES: Readonly<Record<Exclude<MonitorSettings['checkType'], 'http'>, ConfigRules>> = {
  tcp: { host, port: { required: true, ...integer(1, 65_535) }, tls: flag },
  dns: {
    host,
    record_type: oneOf(DNS_RECORD_TYPES),
    nameserver: { holds: isIpWithPort, words: 'must be an IP address with an optional port such as 192.0.2.53:53' },
    expected_records: {
      holds: isListOf((record) => typeof record === 'string'),
      words: 'must be an array of strings',
    },
  },
  heartbeat: { expected_interval: integer(10, 86_400), consecutive_misses: integer(1, 10) },
  synthetic: {
    script: {
      required: true,
      holds: (value) => value !== '' && text(65_536).holds(value),
      words: 'must be a string of 1 to 65536 bytes',
    },
  },
};

/**
 * Validates a monitor's config. Fields that the API does not define are stored and ignored. `before` are the settings
 * before a change; absent for a new monitor.
 */
export function validateConfig(
  settings: MonitorSettings,
  errors: FieldErrorCollector,
  before?: Pick<MonitorSettings, 'configJson'>,
): void {
  const config = parsed(settings.configJson);
  if (!isObject(config)) errors.add('config', 'must be an object');
  else if (settings.checkType === 'http') {
    validateHttpConfig(config, settings.secretNames, errors);
    // The stored headers stay valid, because they may have been saved before this rule.
    if (settings.configJson !== before?.configJson) refuseUnsentHeaders(config.headers, errors);
  } else checkFields(config, RULES[settings.checkType], errors);
}

/**
 * Returns the parsed JSON; undefined if it is invalid. The parser's message is dropped, because it repeats part of the
 * config.
 */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
