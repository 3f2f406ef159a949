import {
  type AllowedTargets,
  PUBLIC_RESOLVERS,
  parseAllowedTargets,
  parseClosedPorts,
  parseNameServers,
  parseReferences,
  type Reference,
} from '@tocsin/netguard';
import { ConfigReader, type Environment } from '@tocsin/runtime';
import { readServiceConfig, type ServiceConfig } from '@tocsin/service';

export interface CheckerConfig extends ServiceConfig {
  readonly monitorUrl: string;
  /** Label of this checker's region. */
  readonly region: string;
  /** Whether to send results in batches. Requires monitor services of this version or later. */
  readonly batches: boolean;
  /**
   * Maximum number of concurrent checks without a browser. The same number of additional slots is reserved for monitors
   * whose last check was slow.
   */
  readonly concurrency: number;
  /**
   * Maximum number of concurrent synthetic checks. The same number of additional slots is reserved for monitors whose
   * last check was slow.
   */
  readonly browsers: number;
  /** Address ranges that checks may reach in addition to the public Internet. */
  readonly allowPrivateTargets: AllowedTargets;
  /** Ports of private addresses that checks may not reach, even if their range is allowed. */
  readonly closedPorts: ReadonlySet<number>;
  /** Name servers for names that tenants choose. Defaults to the machine's own name servers. */
  readonly nameServers?: readonly string[] | undefined;
  /**
   * Servers to which the checker connects to verify its own connectivity. A new failure is reported only after one of
   * them was reached. If the list is empty, failures are reported at once.
   */
  readonly references: readonly Reference[];
  /** URL for owners of targets, sent in the user agent of http checks. */
  readonly contactUrl: string;
  /** Certificate authorities, in PEM form, that checks trust in addition to the public ones. */
  readonly extraCa: string | undefined;
  readonly synthetic: {
    /** Path to Chromium; if empty, the first Chromium on the PATH. */
    readonly chromium: string;
    /** Sandbox mode of Chromium: required, used if possible, or off. */
    readonly chromiumSandbox: 'required' | 'auto' | 'off';
    /** Total memory limit for all processes of one check, in MiB. */
    readonly memoryMb: number;
    /** `allowPrivateTargets` as it was configured, before parsing. */
    readonly allowPrivateTargets: string;
  };
}

export function loadConfig(env: Environment): CheckerConfig {
  const read = new ConfigReader(env);
  return read.done({
    ...readServiceConfig(read, { rpcPort: 7103, adminPort: 7203 }),
    monitorUrl: read.url('TOCSIN_MONITOR_URL'),
    region: read.string('TOCSIN_REGION', 'local'),
    batches: read.boolean('TOCSIN_CHECK_BATCHES', false),
    concurrency: read.integer('TOCSIN_CHECKER_CONCURRENCY', { min: 1, max: 10_000 }, 2_000),
    browsers: read.integer('TOCSIN_CHECKER_BROWSERS', { min: 1, max: 100 }, 2),
    allowPrivateTargets: read.parsed('TOCSIN_ALLOW_PRIVATE_TARGETS', parseAllowedTargets, ''),
    closedPorts: read.parsed('TOCSIN_CLOSED_PORTS', parseClosedPorts, ''),
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
