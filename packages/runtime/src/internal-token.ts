import { ServiceError } from '@tocsin/errors';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import type { Caller } from './caller.ts';

export const TOKEN_ISSUER = 'tocsin-identity';
export const TOKEN_ALGORITHM = 'EdDSA';

/** The claims of an internal token beside the registered ones. */
export function claimsOf(caller: Caller): JWTPayload {
  return caller.kind === 'service'
    ? { sub: `service:${caller.service}`, org: caller.organizationId }
    : {
        sub: `credential:${caller.credentialId}`,
        org: caller.organizationId,
        email: caller.actorEmail,
        permissions: [...caller.permissions],
      };
}

function callerFrom(claims: JWTPayload): Caller {
  const [kind, name] = claims.sub?.split(':', 2) ?? [];
  const organizationId = typeof claims.org === 'string' ? claims.org : undefined;
  if (kind === 'service' && name) return { kind, service: name, organizationId };
  const { email, permissions } = claims;
  if (kind === 'credential' && name && organizationId && typeof email === 'string' && Array.isArray(permissions)) {
    return { kind, credentialId: name, organizationId, actorEmail: email, permissions: permissions.map(String) };
  }
  throw new ServiceError('unauthenticated', 'the internal token names no caller');
}

export interface TokenVerifier {
  /** @throws ServiceError `unauthenticated` for a token that identity did not sign or that has ended. */
  verify(token: string): Promise<Caller>;
}

type KeySet = ReturnType<typeof createLocalJWKSet>;

const REMEMBERED_TOKENS = 10_000;
const KEYS_REFRESH_MS = 5_000;

/**
 * Verifies internal tokens with identity's public keys, which are fetched when a token names an unknown one.
 * A token is checked once and then remembered until it ends.
 */
export function createTokenVerifier(
  fetchKeys: () => Promise<JSONWebKeySet>,
  now: () => Date = () => new Date(),
): TokenVerifier {
  const remembered = new Map<string, { caller: Caller; endsAt: number }>();
  let keys: KeySet | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;

  async function refreshKeys(): Promise<KeySet> {
    fetchedAt = now().getTime();
    keys = createLocalJWKSet(await fetchKeys());
    return keys;
  }

  async function check(token: string): Promise<JWTPayload> {
    const verify = async (keySet: KeySet) => {
      const options = { issuer: TOKEN_ISSUER, algorithms: [TOKEN_ALGORITHM], requiredClaims: ['sub', 'exp'] };
      return (await jwtVerify(token, keySet, { ...options, currentDate: now() })).payload;
    };
    try {
      return await verify(keys ?? (await refreshKeys()));
    } catch (error) {
      const mayBeNew = error instanceof errors.JWKSNoMatchingKey && now().getTime() - fetchedAt >= KEYS_REFRESH_MS;
      if (!mayBeNew) throw error;
      return verify(await refreshKeys());
    }
  }

  return {
    async verify(token) {
      const known = remembered.get(token);
      if (known && known.endsAt > now().getTime()) return known.caller;
      let claims: JWTPayload;
      try {
        claims = await check(token);
      } catch (error) {
        if (error instanceof ServiceError) throw error;
        if (error instanceof errors.JOSEError)
          throw new ServiceError('unauthenticated', 'the internal token is not valid', { cause: error });
        throw error;
      }
      const caller = callerFrom(claims);
      if (remembered.size >= REMEMBERED_TOKENS) remembered.delete(remembered.keys().next().value ?? '');
      remembered.set(token, { caller, endsAt: (claims.exp ?? 0) * 1000 });
      return caller;
    },
  };
}
