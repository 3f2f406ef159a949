import { type AllowedTargets, parseAllowedTargets } from '@tocsin/netguard';
import { type BaseConfig, ConfigReader, type Environment } from '@tocsin/runtime';

export interface CheckerConfig extends BaseConfig {
  readonly rpcPort: number;
  readonly natsUrl: string;
  readonly identityUrl: string;
  readonly monitorUrl: string;
  /** What this service proves itself with at identity. */
  readonly serviceSecret: string;
  /** Label of the region that this checker sees the world from. */
  readonly region: string;
  /** How many checks run at once. */
  readonly concurrency: number;
  /** Ranges beside the public Internet that checks may reach. */
  readonly allowPrivateTargets: AllowedTargets;
}

export function loadConfig(env: Environment): CheckerConfig {
  const read = new ConfigReader(env);
  return read.done({
    host: read.string('TOCSIN_HOST', '127.0.0.1'),
    rpcPort: read.port('TOCSIN_RPC_PORT', 7103),
    adminPort: read.port('TOCSIN_ADMIN_PORT', 7203),
    logLevel: read.oneOf('TOCSIN_LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error'], 'info'),
    natsUrl: read.string('TOCSIN_NATS_URL'),
    identityUrl: read.url('TOCSIN_IDENTITY_URL'),
    monitorUrl: read.url('TOCSIN_MONITOR_URL'),
    serviceSecret: read.string('TOCSIN_SERVICE_SECRET'),
    region: read.string('TOCSIN_REGION', 'local'),
    concurrency: read.integer('TOCSIN_CHECKER_CONCURRENCY', { min: 1, max: 10_000 }, 200),
    allowPrivateTargets: read.parsed('TOCSIN_ALLOW_PRIVATE_TARGETS', parseAllowedTargets, ''),
  });
}
