import { toLimits } from '@tocsin/enums';
import { ServiceError } from '@tocsin/errors';
import { createLocalJWKSet, decodeJwt, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import type { Caller } from './caller.ts';

export const TOKEN_ISSUER = 'tocsin-identity';
export const TOKEN_ALGORITHM = 'EdDSA';

/** Returns the claims of an internal token for one or several services. */
export function claimsOf(caller: Caller, audience: string | string[]): JWTPayload {
  return caller.kind === 'service'
    ? { aud: audience, sub: `service:${caller.service}`, org: caller.organizationId }
    : {
        aud: audience,
        sub: `credential:${caller.credentialId}`,
        org: caller.organizationId,
        email: caller.actorEmail,
        permissions: [...caller.permissions],
        limits: caller.limits,
      };
}

function callerFrom(claims: JWTPayload): Caller {
  const [kind, name] = claims.sub?.split(':', 2) ?? [];
  const organizationId = typeof claims.org === 'string' ? claims.org : undefined;
  if (kind === 'service' && name) return { kind, service: name, organizationId };
  const { email, permissions, limits } = claims;
  if (kind === 'credential' && name && organizationId && typeof email === 'string' && Array.isArray(permissions)) {
    return {
      kind,
      credentialId: name,
      organizationId,
      actorEmail: email,
      permissions: permissions.map(String),
      limits: toLimits(isRecord(limits) ? limits : {}),
    };
  }
  throw new ServiceError('unauthenticated', 'the internal token names no caller');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/**
 * Returns the lifetime of a token from its issue to its expiry, in milliseconds. Does not use this host's clock, which
 * may differ from identity's clock.
 */
export function lifetimeMs(token: string): number {
  const { iat = 0, exp = 0 } = decodeJwt(token);
  return (exp - iat) * 1000;
}

function audiencesOf({ aud = [] }: JWTPayload): readonly string[] {
  return typeof aud === 'string' ? [aud] : aud;
}

export interface TokenVerifier {
  /**
   * Verifies a token, and returns the caller that it identifies.
   * @throws ServiceError `unauthenticated` if the token was not signed by identity, has expired, or is for another
   * audience.
   */
  verify(token: string, audience: string): Promise<Caller>;
}

interface Verified {
  readonly caller: Caller;
  readonly audiences: readonly string[];
  /** Expiry of the token, in milliseconds since the epoch. */
  readonly endsAt: number;
}

type KeySet = ReturnType<typeof createLocalJWKSet>;

const CACHED_TOKENS = 10_000;
const KEYS_REFRESH_MS = 5_000;

/**
 * Returns a verifier of internal tokens. It fetches identity's public keys when a token names an unknown key. It caches
 * the caller of each token until the token expires. `elapsedMs` returns the milliseconds since any fixed time.
 */
export function createTokenVerifier(
  fetchKeys: () => Promise<JSONWebKeySet>,
  now: () => Date = () => new Date(),
  elapsedMs: () => number = () => performance.now(),
): TokenVerifier {
  const cached = new Map<string, Verified>();
  let keys: KeySet | undefined;
  // Does not use the clock of the host, because keys would not be fetched for as long as the clock was set back.
  let fetchedAt = Number.NEGATIVE_INFINITY;

  async function refreshKeys(): Promise<KeySet> {
    fetchedAt = elapsedMs();
    keys = createLocalJWKSet(await fetchKeys());
    return keys;
  }

  async function readClaims(token: string): Promise<JWTPayload> {
    const verify = async (keySet: KeySet) => {
      const options = { issuer: TOKEN_ISSUER, algorithms: [TOKEN_ALGORITHM], requiredClaims: ['sub', 'exp'] };
      return (await jwtVerify(token, keySet, { ...options, currentDate: now() })).payload;
    };
    try {
      return await verify(keys ?? (await refreshKeys()));
    } catch (error) {
      const mayBeNew = error instanceof errors.JWKSNoMatchingKey && elapsedMs() - fetchedAt >= KEYS_REFRESH_MS;
      if (!mayBeNew) throw error;
      return verify(await refreshKeys());
    }
  }

  async function verifySignature(token: string): Promise<Verified> {
    const known = cached.get(token);
    if (known && known.endsAt > now().getTime()) return known;
    try {
      const claims = await readClaims(token);
      const verified = {
        caller: callerFrom(claims),
        audiences: audiencesOf(claims),
        endsAt: (claims.exp ?? 0) * 1000,
      };
      if (cached.size >= CACHED_TOKENS) cached.delete(cached.keys().next().value ?? '');
      cached.set(token, verified);
      return verified;
    } catch (error) {
      if (error instanceof errors.JOSEError)
        throw new ServiceError('unauthenticated', 'the internal token is not valid', { cause: error });
      throw error;
    }
  }

  return {
    async verify(token, audience) {
      const { caller, audiences } = await verifySignature(token);
      if (!audiences.includes(audience)) {
        throw new ServiceError('unauthenticated', `the internal token is for another service than ${audience}`);
      }
      return caller;
    },
  };
}
