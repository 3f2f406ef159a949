import { IdentityService } from '@tocsin/proto/identity/v1/identity';
import { LRUCache } from 'lru-cache';
import { createTokenVerifier, lifetimeMs, type TokenVerifier } from './internal-token.ts';
import { createRpcClient, createTransport } from './rpc-client.ts';
import { suspendClock } from './suspend-clock.ts';
import type { Tls } from './tls.ts';

/** Source of internal tokens for this service. */
export interface TokenSource {
  /**
   * Returns a token for calls to the service `audience`. The token is valid for at least 30 s. Without an organization,
   * the token is for work across organizations.
   */
  token(audience: string, organizationId?: string): Promise<string>;
}

export interface ServiceIdentity {
  readonly service: string;
  readonly secret: string;
  /** URL of identity, in the form `http://host:port`. */
  readonly identityUrl: string;
  /** Certificates of this process; undefined without TLS between services. */
  readonly tls?: Tls | undefined;
}

const IDENTITY = 'identity';
const MARGIN_MS = 30_000;
const CACHED = 10_000;

/**
 * Returns a source that gets tokens from identity with the service's secret. It caches a token for each audience and
 * organization while the token is valid.
 */
export function createTokenSource({ service, secret, identityUrl, tls }: ServiceIdentity): TokenSource {
  const identity = createRpcClient(IdentityService, createTransport({ url: identityUrl, tls, service: IDENTITY }));
  // Concurrent calls share one request.
  const tokens = new LRUCache<string, string>({
    max: CACHED,
    // Without this clock, tokens that expired while the machine was suspended would still be used.
    perf: suspendClock(),
    ignoreFetchAbort: true,
    async fetchMethod(key, _stale, { options }) {
      const [audience = '', organizationId = ''] = key.split(' ');
      const { token } = await identity.issueServiceToken({ service, secret, audience, organizationId });
      // The ttl is at least 1, because a ttl of 0 would mean that the token never expires.
      options.ttl = Math.max(1, lifetimeMs(token) - MARGIN_MS);
      return token;
    },
  });
  return {
    token: (audience, organizationId = '') => tokens.forceFetch(`${audience} ${organizationId}`),
  };
}

/** Returns a verifier of internal tokens that uses the keys that identity publishes. */
export function createRemoteTokenVerifier(
  identityUrl: string,
  { tls, now }: { tls?: Tls | undefined; now?: () => Date } = {},
): TokenVerifier {
  const identity = createRpcClient(IdentityService, createTransport({ url: identityUrl, tls, service: IDENTITY }));
  return createTokenVerifier(async () => JSON.parse((await identity.listSigningKeys({})).jwksJson), now);
}
