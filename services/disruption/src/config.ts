import { type BaseConfig, ConfigReader, type Environment } from '@tocsin/runtime';

export interface DisruptionConfig extends BaseConfig {
  /** Where RPCs are answered; 0 asks the system for a free port. */
  readonly rpcPort: number;
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly identityUrl: string;
  readonly statuspageUrl: string;
  /** What this service proves itself with at identity. */
  readonly serviceSecret: string;
  /** Mail address that stands under the timeline entries that the system writes. */
  readonly senderAddress: string;
}

/** @throws ConfigError that lists everything that is wrong with the environment. */
export function loadConfig(env: Environment): DisruptionConfig {
  const read = new ConfigReader(env);
  return read.done({
    host: read.string('TOCSIN_HOST', '127.0.0.1'),
    adminPort: read.port('TOCSIN_ADMIN_PORT', 7204),
    logLevel: read.oneOf('TOCSIN_LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error'], 'info'),
    rpcPort: read.port('TOCSIN_RPC_PORT', 7104),
    databaseUrl: read.databaseUrl('disruption'),
    natsUrl: read.string('TOCSIN_NATS_URL'),
    identityUrl: read.url('TOCSIN_IDENTITY_URL'),
    statuspageUrl: read.url('TOCSIN_STATUSPAGE_URL'),
    serviceSecret: read.string('TOCSIN_SERVICE_SECRET'),
    senderAddress: read.string('TOCSIN_SENDER_ADDRESS', 'tocsin@localhost'),
  });
}
