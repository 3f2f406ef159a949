import { ConfigReader, type Environment } from '@tocsin/runtime';
import { type DatabaseConfig, readDatabaseConfig } from '@tocsin/service';
import { parseVaultKeys, type VaultKeys } from '@tocsin/vault';
import { isRegion } from './domain/rounds/region.ts';

export interface MonitorConfig extends DatabaseConfig {
  readonly notifierUrl: string;
  readonly statuspageUrl: string;
  /**
   * Vault keys for the secrets of monitors. The first key encrypts, and all keys can decrypt.
   */
  readonly vaultKeys: VaultKeys;
  /**
   * File with the vault keys, which is reloaded while the program runs; undefined if an environment variable contains
   * the keys.
   */
  readonly vaultKeysFile?: string | undefined;
  /** Labels of the regions that check every monitor. */
  readonly regions: readonly string[];
  /** Whether to send jobs in batches. Only checkers of this version or later can decode batches. */
  readonly batches: boolean;
}

/** Parses `TOCSIN_REGIONS`, a comma-separated list of labels such as `us-east,eu-west`. */
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
    ...readDatabaseConfig(read, 'monitor', { rpcPort: 7102, adminPort: 7202, connections: 16 }),
    notifierUrl: read.url('TOCSIN_NOTIFIER_URL'),
    statuspageUrl: read.url('TOCSIN_STATUSPAGE_URL'),
    vaultKeys: read.parsed('TOCSIN_VAULT_KEYS', parseVaultKeys),
    vaultKeysFile: read.fileOf('TOCSIN_VAULT_KEYS'),
    regions: read.parsed('TOCSIN_REGIONS', parseRegions, 'local'),
    batches: read.boolean('TOCSIN_CHECK_BATCHES', false),
  });
}
