import { DEFAULT_LIMITS, LIMIT_NAMES, type Limits, MAX_LIMIT, toLimits } from '@tocsin/enums';
import { type AllowedTargets, parseAllowedTargets, parseClosedPorts, parseNameServers } from '@tocsin/netguard';
import { type BaseConfig, ConfigReader, type Environment, readBaseConfig } from '@tocsin/runtime';
import { readStorageConfig, type StorageConfig } from '@tocsin/service';
import { parseVaultKeys, type VaultKeys } from '@tocsin/vault';
import { parseServiceSecrets, type ServiceSecrets } from './app/service-secrets.ts';
import { type Client, parseClients } from './domain/oauth/client.ts';

export interface IdentityConfig extends BaseConfig, StorageConfig {
  /** Port of the RPC server; 0 for any free port. */
  readonly rpcPort: number;
  /** Public base URL of the installation, without a trailing slash. Forms are accepted only from this origin. */
  readonly baseUrl: string;
  readonly natsUrl: string;
  /** URL of notifier, which sends emails about accounts. */
  readonly notifierUrl: string;
  /** URLs of the other services, for exports. */
  readonly monitorUrl: string;
  readonly disruptionUrl: string;
  readonly statuspageUrl: string;
  /** Private address ranges that the OpenID Connect providers of organizations may use. */
  readonly allowedTargets: AllowedTargets;
  /** Ports of the installation itself, which are blocked even in the allowed private address ranges. */
  readonly closedPorts: ReadonlySet<number>;
  /** Name servers that resolve the hosts of providers. Defaults to the name servers of the machine. */
  readonly nameServers?: readonly string[] | undefined;
  /** Vault keys for the private parts of signing keys. The first key encrypts, and all keys can decrypt. */
  readonly vaultKeys: VaultKeys;
  /**
   * File with the vault keys, which is read again while the program runs; undefined if an environment variable contains
   * the keys.
   */
  readonly vaultKeysFile?: string | undefined;
  /** Secrets of the services, from `TOCSIN_SERVICE_SECRETS` in the format `name:secret,name:secret`. */
  readonly serviceSecrets: ServiceSecrets;
  /** OAuth clients from `TOCSIN_OAUTH_CLIENTS`, in addition to the built-in client. */
  readonly oauthClients: readonly Client[];
  /** Whether OAuth clients may register themselves. */
  readonly oauthRegistration: boolean;
  /** Default limits for organizations, from `TOCSIN_LIMIT_MONITORS` and similar variables. */
  readonly defaultLimits: Limits;
}

const LIMIT_RANGE = { min: 0, max: MAX_LIMIT };

function readLimits(read: ConfigReader): Limits {
  return toLimits(
    Object.fromEntries(
      LIMIT_NAMES.map((name) => [
        name,
        read.integer(`TOCSIN_LIMIT_${name.toUpperCase()}`, LIMIT_RANGE, DEFAULT_LIMITS[name]),
      ]),
    ),
  );
}

/**
 * Reads the configuration from the environment.
 * @throws ConfigError that lists all invalid settings.
 */
export function loadConfig(env: Environment): IdentityConfig {
  const read = new ConfigReader(env);
  return read.done({
    ...readBaseConfig(read, 7201),
    rpcPort: read.port('TOCSIN_RPC_PORT', 7101),
    baseUrl: read.url('TOCSIN_BASE_URL', 'http://localhost:8080'),
    ...readStorageConfig(read, 'identity'),
    natsUrl: read.natsUrl(),
    notifierUrl: read.url('TOCSIN_NOTIFIER_URL'),
    monitorUrl: read.url('TOCSIN_MONITOR_URL'),
    disruptionUrl: read.url('TOCSIN_DISRUPTION_URL'),
    statuspageUrl: read.url('TOCSIN_STATUSPAGE_URL'),
    allowedTargets: read.parsed('TOCSIN_ALLOW_PRIVATE_TARGETS', parseAllowedTargets, ''),
    closedPorts: read.parsed('TOCSIN_CLOSED_PORTS', parseClosedPorts, ''),
    nameServers: read.parsed('TOCSIN_NAME_SERVERS', parseNameServers, ''),
    vaultKeys: read.parsed('TOCSIN_VAULT_KEYS', parseVaultKeys),
    vaultKeysFile: read.fileOf('TOCSIN_VAULT_KEYS'),
    serviceSecrets: read.parsed('TOCSIN_SERVICE_SECRETS', parseServiceSecrets),
    oauthClients: read.parsed('TOCSIN_OAUTH_CLIENTS', parseClients, '[]'),
    oauthRegistration: read.oneOf('TOCSIN_OAUTH_REGISTRATION', ['on', 'off'], 'on') === 'on',
    defaultLimits: readLimits(read),
  });
}
