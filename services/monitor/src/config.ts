import { type BaseConfig, ConfigReader, type Environment } from '@tocsin/runtime';
import { parseVaultKeys, type VaultKey } from '@tocsin/vault';
import { isRegion } from './domain/rounds/region.ts';

export interface MonitorConfig extends BaseConfig {
  readonly rpcPort: number;
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly identityUrl: string;
  readonly notifierUrl: string;
  readonly statuspageUrl: string;
  /** What this service proves itself with at identity. */
  readonly serviceSecret: string;
  /** Keys that seal the monitors' secrets; the first one seals, all of them open. */
  readonly vaultKeys: readonly [VaultKey, ...VaultKey[]];
  /** Region labels that every monitor is checked from. */
  readonly regions: readonly string[];
}

/** `TOCSIN_REGIONS` is a comma-separated list of labels such as `us-east,eu-west`. */
function parseRegions(text: string): readonly string[] {
  const regions = text.split(',').map((label) => label.trim());
  const wrong = regions.find((label) => !isRegion(label));
  if (wrong !== undefined)
    throw new Error(`"${wrong}" is not a region label: lowercase letters, digits and hyphens, at most 32`);
  if (new Set(regions).size < regions.length) throw new Error('names a region twice');
  return regions;
}

export function loadConfig(env: Environment): MonitorConfig {
  const read = new ConfigReader(env);
  return read.done({
    host: read.string('TOCSIN_HOST', '127.0.0.1'),
    rpcPort: read.port('TOCSIN_RPC_PORT', 7102),
    adminPort: read.port('TOCSIN_ADMIN_PORT', 7202),
    logLevel: read.oneOf('TOCSIN_LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error'], 'info'),
    databaseUrl: read.databaseUrl('monitor'),
    natsUrl: read.string('TOCSIN_NATS_URL'),
    identityUrl: read.url('TOCSIN_IDENTITY_URL'),
    notifierUrl: read.url('TOCSIN_NOTIFIER_URL'),
    statuspageUrl: read.url('TOCSIN_STATUSPAGE_URL'),
    serviceSecret: read.string('TOCSIN_SERVICE_SECRET'),
    vaultKeys: read.parsed('TOCSIN_VAULT_KEYS', parseVaultKeys),
    regions: read.parsed('TOCSIN_REGIONS', parseRegions, 'local'),
  });
}
