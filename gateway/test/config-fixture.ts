import { parseVaultKeys } from '@tocsin/vault';
import type { GatewayConfig } from '../src/config.ts';

const NOWHERE = 'http://127.0.0.1:1';

/** Returns the configuration of a gateway without limits and with no reachable service, except for `settings`. */
export function testConfig(settings: Partial<GatewayConfig> = {}): GatewayConfig {
  return {
    host: '127.0.0.1',
    port: 0,
    adminHost: '127.0.0.1',
    adminPort: 0,
    failedCredentialsPerMinute: 0,
    pagesPerMinute: 0,
    oauthPerMinute: 0,
    oauthAttemptsPerMinute: 0,
    requestTimeoutMs: 30_000,
    lingerMs: 0,
    pageCacheBytes: 16 * 1024 * 1024,
    pageMaxAgeMs: 60_000,
    liveVisitors: 0,
    trustedProxies: [],
    corsOrigins: [],
    logLevel: 'error',
    baseUrl: 'http://localhost',
    databaseUrl: NOWHERE,
    vaultKeys: parseVaultKeys(`k1:${Buffer.alloc(32, 7).toString('base64')}`),
    rateLimits: { stats: 0, read: 0, write: 0 },
    natsUrl: NOWHERE,
    serviceSecret: 'unused',
    identityUrl: NOWHERE,
    monitorUrl: NOWHERE,
    disruptionUrl: NOWHERE,
    statuspageUrl: NOWHERE,
    notifierUrl: NOWHERE,
    ...settings,
  };
}
