import { type BaseConfig, ConfigReader, type Environment, readBaseConfig } from '@tocsin/runtime';
import { readStorageConfig, type StorageConfig } from '@tocsin/service';
import { parseVaultKeys, type VaultKeys } from '@tocsin/vault';
import type { RateLimits } from './plugins/rate-limit.ts';

export interface GatewayConfig extends BaseConfig, StorageConfig {
  /** Port of the public HTTP API and pages. */
  readonly port: number;
  /** Public URL of this installation, without a trailing slash. */
  readonly baseUrl: string;
  readonly natsUrl: string;
  /** Keys that encrypt the stored responses to requests with an idempotency key. */
  readonly vaultKeys: VaultKeys;
  /** File with the vault keys, which is reread while the program runs; undefined if the keys are in a variable. */
  readonly vaultKeysFile?: string | undefined;
  readonly rateLimits: RateLimits;
  /** Number of unknown credentials and heartbeat tokens that an address may send per minute; 0 disables the limit. */
  readonly failedCredentialsPerMinute: number;
  /** Number of pages that an address may request per minute; 0 disables the limit. */
  readonly pagesPerMinute: number;
  /** Number of OAuth requests that clients at an address may send per minute; 0 disables the limit. */
  readonly oauthPerMinute: number;
  /**
   * Number of attempts per minute that an address may make to enter a device code or register an OAuth client; 0
   * disables the limit.
   */
  readonly oauthAttemptsPerMinute: number;
  /** Maximum total size, in bytes, of the public pages stored in memory. */
  readonly pageCacheBytes: number;
  /** Maximum age, in milliseconds, of a cached page that is sent without a request to the statuspage service. */
  readonly pageMaxAgeMs: number;
  /** Maximum number of visitors who receive page changes as server-sent events. Further visitors poll. */
  readonly liveVisitors: number;
  /** Maximum time in milliseconds for a request to arrive, including its body. */
  readonly requestTimeoutMs: number;
  /**
   * Time in milliseconds for which requests are still accepted after the signal to stop, so that clients can close
   * their connections.
   */
  readonly lingerMs: number;
  /** Addresses or ranges of the proxies whose `x-forwarded-…` headers are used. */
  readonly trustedProxies: readonly string[];
  /** Origins whose scripts may read the API in browsers; `*` allows all origins. */
  readonly corsOrigins: readonly string[];
  /** Secret with which the gateway authenticates to identity. */
  readonly serviceSecret: string;
  readonly identityUrl: string;
  readonly monitorUrl: string;
  readonly disruptionUrl: string;
  readonly statuspageUrl: string;
  readonly notifierUrl: string;
}

/** Allowed values of the limits per minute; 0 disables a limit. */
const RATE_RANGE = { min: 0, max: 1_000_000 };

export function loadConfig(env: Environment): GatewayConfig {
  const read = new ConfigReader(env);
  const port = read.port('TOCSIN_PORT', 8080);
  return read.done({
    ...readBaseConfig(read, 7200),
    port,
    baseUrl: read.url('TOCSIN_BASE_URL', `http://localhost:${port}`),
    ...readStorageConfig(read, 'gateway'),
    vaultKeys: read.parsed('TOCSIN_VAULT_KEYS', parseVaultKeys),
    vaultKeysFile: read.fileOf('TOCSIN_VAULT_KEYS'),
    rateLimits: {
      stats: read.integer('TOCSIN_RATE_LIMIT_STATS', RATE_RANGE, 30),
      read: read.integer('TOCSIN_RATE_LIMIT_READ', RATE_RANGE, 1200),
      write: read.integer('TOCSIN_RATE_LIMIT_WRITE', RATE_RANGE, 600),
    },
    failedCredentialsPerMinute: read.integer('TOCSIN_RATE_LIMIT_FAILED_CREDENTIALS', RATE_RANGE, 60),
    pagesPerMinute: read.integer('TOCSIN_RATE_LIMIT_PAGES', RATE_RANGE, 600),
    oauthPerMinute: read.integer('TOCSIN_RATE_LIMIT_OAUTH', RATE_RANGE, 120),
    oauthAttemptsPerMinute: read.integer('TOCSIN_RATE_LIMIT_OAUTH_ATTEMPTS', RATE_RANGE, 20),
    pageCacheBytes: 1024 * 1024 * read.integer('TOCSIN_PAGE_CACHE_MB', { min: 16, max: 65_536 }, 64),
    pageMaxAgeMs: 1_000 * read.integer('TOCSIN_PAGE_MAX_AGE_S', { min: 1, max: 60 }, 60),
    liveVisitors: read.integer('TOCSIN_LIVE_VISITORS', { min: 0, max: 1_000_000 }, 10_000),
    lingerMs: 1_000 * read.integer('TOCSIN_LINGER_S', { min: 0, max: 60 }, 0),
    requestTimeoutMs: 1_000 * read.integer('TOCSIN_REQUEST_TIMEOUT_S', { min: 1, max: 3_600 }, 30),
    trustedProxies: listOf(read.string('TOCSIN_TRUSTED_PROXIES', '')),
    corsOrigins: listOf(read.string('TOCSIN_CORS_ORIGINS', '')),
    natsUrl: read.natsUrl(),
    serviceSecret: read.string('TOCSIN_SERVICE_SECRET'),
    identityUrl: read.url('TOCSIN_IDENTITY_URL'),
    monitorUrl: read.url('TOCSIN_MONITOR_URL'),
    disruptionUrl: read.url('TOCSIN_DISRUPTION_URL'),
    statuspageUrl: read.url('TOCSIN_STATUSPAGE_URL'),
    notifierUrl: read.url('TOCSIN_NOTIFIER_URL'),
  });
}

function listOf(text: string): string[] {
  return text.split(',').flatMap((item) => item.trim() || []);
}
