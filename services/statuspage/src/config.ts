import { ConfigReader, type Environment } from '@tocsin/runtime';
import { type DatabaseConfig, readDatabaseConfig } from '@tocsin/service';

export interface StatusPageConfig extends DatabaseConfig {
  readonly monitorUrl: string;
  /** Public base URL of the gateway, which serves pages at `/s/{slug}`. */
  readonly baseUrl: string;
  /** Domain below which each page has a separate host; undefined if not configured. */
  readonly statusDomain: string | undefined;
}

/**
 * Reads the configuration from the environment.
 * @throws ConfigError that lists all invalid settings.
 */
export function loadConfig(env: Environment): StatusPageConfig {
  const read = new ConfigReader(env);
  return read.done({
    ...readDatabaseConfig(read, 'statuspage', { rpcPort: 7105, adminPort: 7205 }),
    monitorUrl: read.url('TOCSIN_MONITOR_URL'),
    baseUrl: read.url('TOCSIN_BASE_URL'),
    statusDomain: read.optional('TOCSIN_STATUS_DOMAIN'),
  });
}
