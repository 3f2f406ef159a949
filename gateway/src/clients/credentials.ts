import { hash } from 'node:crypto';
import type { Client } from '@connectrpc/connect';
import { type Limits, toLimits } from '@tocsin/enums';
import { ServiceError } from '@tocsin/errors';
import {
  type Credential,
  CredentialKind,
  type IdentityService,
  type Organization,
} from '@tocsin/proto/identity/v1/identity';
import { lifetimeMs, suspendClock, type TokensByService } from '@tocsin/runtime';
import { LRUCache } from 'lru-cache';

/** An authenticated caller of the API, with its internal token for each service. */
export interface Caller {
  readonly tokens: TokensByService;
  readonly organization: { readonly id: string; readonly accountNumber: number; readonly name: string };
  readonly credential: {
    readonly id: string;
    readonly kind: 'api_key' | 'oauth';
    readonly name: string;
    readonly permissions: readonly string[];
  };
  readonly limits: Limits;
}

export interface Credentials {
  /**
   * Returns the caller that a credential identifies. Calls `beforeAsking`, which may throw, before each request to
   * identity about a credential that identity has not accepted recently.
   * @throws ServiceError `unauthenticated` for a credential that is unknown, revoked or expired.
   */
  exchange(secret: string, beforeAsking?: () => void): Promise<Caller>;
  /** Removes a revoked credential from the cache. */
  drop(credentialId: string): void;
}

const CACHED = 50_000;

/** Time for which an accepted credential counts as known, in milliseconds. Many programs call once an hour or a day. */
const KNOWN_MS = 25 * 3_600_000;

/** Services that the gateway calls on behalf of a caller. */
const AUDIENCES = ['identity', 'monitor', 'disruption', 'statuspage', 'notifier'];

/**
 * Tokens are dropped this many milliseconds before they expire, so that they are still valid when a service checks
 * them.
 */
const MARGIN_MS = 10_000;

interface Exchange {
  readonly secret: string;
  readonly beforeAsking: (() => void) | undefined;
}

/**
 * Exchanges public credentials for internal tokens at identity, and caches the tokens until shortly before they expire.
 */
export function remoteCredentials(identity: Client<typeof IdentityService>): Credentials {
  // The cache keys are hashes, so that a memory dump does not contain the secrets. Concurrent requests with the same
  // credential share one call to identity.
  const known = new LRUCache<string, true>({ max: CACHED, ttl: KNOWN_MS });
  const callers = new LRUCache<string, Caller, Exchange>({
    max: CACHED,
    // Without this clock, tokens that expired while the machine was suspended would still be used.
    perf: suspendClock(),
    ignoreFetchAbort: true,
    async fetchMethod(key, _stale, { options, context: { secret, beforeAsking } }) {
      if (!known.has(key)) beforeAsking?.();
      const { tokens, organization, credential, limits } = await ask(key, secret);
      const [token] = Object.values(tokens);
      if (!organization || !credential || !token) throw new Error('identity returned an incomplete credential');
      // A ttl of 0 would mean that the entry never expires.
      options.ttl = Math.max(1, lifetimeMs(token) - MARGIN_MS);
      return {
        tokens,
        organization: organizationOf(organization),
        credential: credentialOf(credential),
        limits: limitsFrom(limits),
      };
    },
  });

  async function ask(key: string, secret: string) {
    try {
      const answer = await identity.exchangeCredential({ secret, audiences: AUDIENCES });
      known.set(key, true);
      return answer;
    } catch (error) {
      if (error instanceof ServiceError && error.kind === 'unauthenticated') known.delete(key);
      throw error;
    }
  }

  return {
    exchange(secret, beforeAsking) {
      const key = hash('sha256', secret, 'base64');
      return callers.forceFetch(key, { context: { secret, beforeAsking } });
    },
    drop(credentialId) {
      for (const [key, caller] of callers) if (caller.credential.id === credentialId) callers.delete(key);
    },
  };
}

function limitsFrom(limits: Readonly<Record<string, bigint>>): Limits {
  return toLimits(Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, Number(value)])));
}

function organizationOf({ id, accountNumber, name }: Organization): Caller['organization'] {
  return { id, accountNumber: Number(accountNumber), name };
}

function credentialOf({ id, kind, name, permissions }: Credential): Caller['credential'] {
  return { id, kind: kind === CredentialKind.OAUTH ? 'oauth' : 'api_key', name, permissions };
}
