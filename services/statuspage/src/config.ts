import { type BaseConfig, ConfigReader, type Environment } from '@tocsin/runtime';

export interface StatusPageConfig extends BaseConfig {
  /** Where RPCs and public pages are answered; 0 asks the system for a free port. */
  readonly rpcPort: number;
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly identityUrl: string;
  readonly monitorUrl: string;
  /** What this service proves itself with at identity. */
  readonly serviceSecret: string;
  /** The gateway's public address, under which pages are found at `/s/{slug}`. */
  readonly baseUrl: string;
  /** The domain below which each page has a host of its own; undefined where there is none. */
  readonly statusDomain: string | undefined;
}

/** @throws ConfigError that lists everything that is wrong with the environment. */
export function loadConfig(env: Environment): StatusPageConfig {
  const read = new ConfigReader(env);
  return read.done({
    host: read.string('TOCSIN_HOST', '127.0.0.1'),
    adminPort: read.port('TOCSIN_ADMIN_PORT', 7205),
    logLevel: read.oneOf('TOCSIN_LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error'], 'info'),
    rpcPort: read.port('TOCSIN_RPC_PORT', 7105),
    databaseUrl: read.databaseUrl('statuspage'),
    natsUrl: read.string('TOCSIN_NATS_URL'),
    identityUrl: read.url('TOCSIN_IDENTITY_URL'),
    monitorUrl: read.url('TOCSIN_MONITOR_URL'),
    serviceSecret: read.string('TOCSIN_SERVICE_SECRET'),
    baseUrl: read.url('TOCSIN_BASE_URL'),
    statusDomain: read.optional('TOCSIN_STATUS_DOMAIN'),
  });
}
