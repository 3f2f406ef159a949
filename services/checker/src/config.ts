import {
  type AllowedTargets,
  PUBLIC_RESOLVERS,
  parseAllowedTargets,
  parseNameServers,
  parseReferences,
  type Reference,
} from '@tocsin/netguard';
import { ConfigReader, type Environment } from '@tocsin/runtime';
import { readServiceConfig, type ServiceConfig } from '@tocsin/service';

export interface CheckerConfig extends ServiceConfig {
  readonly monitorUrl: string;
  /** Label of the region that this checker sees the world from. */
  readonly region: string;
  /** How many checks without a browser run at once; as many more that were slow the last time run beside them. */
  readonly concurrency: number;
  /** How many synthetic checks run at once; as many more that were slow the last time run beside them. */
  readonly browsers: number;
  /** Ranges beside the public Internet that checks may reach. */
  readonly allowPrivateTargets: AllowedTargets;
  /** Resolve the names that tenants choose; undefined: the machine's own name servers. */
  readonly nameServers?: readonly string[] | undefined;
  /** What the checker tries to reach before it believes that a target has failed; empty: it believes at once. */
  readonly references: readonly Reference[];
  /** Where the owner of a target reads who checks it; sent with every http check. */
  readonly contactUrl: string;
  /** Certificates of authorities, in PEM, that checks trust beside the public ones. */
  readonly extraCa: string | undefined;
  /** Checks with a browser. */
  readonly synthetic: {
    /** Path of a Chromium; empty: the first on the PATH. */
    readonly chromium: string;
    /** Whether it has to use its own sandbox, uses it where it can, or does without. */
    readonly chromiumSandbox: 'required' | 'auto' | 'off';
    /** What the processes of one check may use together, in MiB. */
    readonly memoryMb: number;
    /** `allowPrivateTargets` as it was written. */
    readonly allowPrivateTargets: string;
  };
}

export function loadConfig(env: Environment): CheckerConfig {
  const read = new ConfigReader(env);
  return read.done({
    ...readServiceConfig(read, { rpcPort: 7103, adminPort: 7203 }),
    monitorUrl: read.url('TOCSIN_MONITOR_URL'),
    region: read.string('TOCSIN_REGION', 'local'),
    concurrency: read.integer('TOCSIN_CHECKER_CONCURRENCY', { min: 1, max: 10_000 }, 2_000),
    browsers: read.integer('TOCSIN_CHECKER_BROWSERS', { min: 1, max: 100 }, 2),
    allowPrivateTargets: read.parsed('TOCSIN_ALLOW_PRIVATE_TARGETS', parseAllowedTargets, ''),
    nameServers: read.parsed('TOCSIN_NAME_SERVERS', parseNameServers, ''),
    references: read.parsed('TOCSIN_CHECKER_REFERENCES', parseReferences, PUBLIC_RESOLVERS),
    contactUrl: read.url('TOCSIN_CHECKER_CONTACT_URL', read.url('TOCSIN_BASE_URL', 'http://localhost:8080')),
    extraCa: read.optional('TOCSIN_CHECKER_EXTRA_CA'),
    synthetic: {
      chromium: read.string('TOCSIN_CHROMIUM', ''),
      chromiumSandbox: read.oneOf('TOCSIN_CHROMIUM_SANDBOX', ['required', 'auto', 'off'], 'auto'),
      memoryMb: read.integer('TOCSIN_CHECKER_BROWSER_MEMORY_MB', { min: 256, max: 65_536 }, 1_024),
      allowPrivateTargets: read.string('TOCSIN_ALLOW_PRIVATE_TARGETS', ''),
    },
  });
}
