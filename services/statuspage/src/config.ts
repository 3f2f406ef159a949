import { type AllowedTargets, parseAllowedTargets, parseClosedPorts, parseNameServers } from '@tocsin/netguard';
import { ConfigReader, type Environment } from '@tocsin/runtime';
import { type DatabaseConfig, readDatabaseConfig } from '@tocsin/service';
import type { Bucket } from './clients/snapshot-bucket.ts';

export interface StatusPageConfig extends DatabaseConfig {
  readonly monitorUrl: string;
  /** Public base URL of the gateway, which serves pages at `/s/{slug}`. */
  readonly baseUrl: string;
  /** Domain below which each page has a separate host; undefined if not configured. */
  readonly statusDomain: string | undefined;
  /** Address ranges from which logos may be fetched in addition to the public Internet. */
  readonly allowedTargets: AllowedTargets;
  /** Ports on which no logo may be fetched from a private address, even if `allowedTargets` contains the address. */
  readonly closedPorts: ReadonlySet<number>;
  /** Name servers for the hosts of logos. Defaults to the machine's name servers. */
  readonly nameServers?: readonly string[] | undefined;
  /** Where snapshots of public pages are written; undefined if none are written. */
  readonly snapshots?: { readonly directory: string } | { readonly bucket: Bucket } | undefined;
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
    allowedTargets: read.parsed('TOCSIN_ALLOW_PRIVATE_TARGETS', parseAllowedTargets, ''),
    closedPorts: read.parsed('TOCSIN_CLOSED_PORTS', parseClosedPorts, ''),
    nameServers: read.parsed('TOCSIN_NAME_SERVERS', parseNameServers, ''),
    snapshots: readSnapshots(read),
  });
}

function readSnapshots(read: ConfigReader): StatusPageConfig['snapshots'] {
  const directory = read.optional('TOCSIN_SNAPSHOT_DIR');
  if (read.optional('TOCSIN_SNAPSHOT_S3_URL') === undefined) return directory === undefined ? undefined : { directory };
  const url = read.parsed('TOCSIN_SNAPSHOT_S3_URL', (text) => {
    if (directory !== undefined) throw new Error('can not be set together with TOCSIN_SNAPSHOT_DIR');
    if (!/^https?:\/\/[^/?#]+\/[^/?#]+[^?#]*$/.test(text)) throw new Error('must be a URL such as https://host/bucket');
    return text;
  });
  return {
    bucket: {
      url,
      accessKeyId: read.string('TOCSIN_SNAPSHOT_S3_ACCESS_KEY_ID'),
      secretAccessKey: read.string('TOCSIN_SNAPSHOT_S3_SECRET_ACCESS_KEY'),
      region: read.string('TOCSIN_SNAPSHOT_S3_REGION', 'us-east-1'),
    },
  };
}
