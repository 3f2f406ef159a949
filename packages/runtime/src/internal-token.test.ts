import { toLimits } from '@tocsin/enums';
import { manualClock } from '@tocsin/testing';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { expect, test } from 'vitest';
import { type Caller, claimsOf, createTokenVerifier, lifetimeMs, TOKEN_ALGORITHM, TOKEN_ISSUER } from './index.ts';

const caller: Caller = { kind: 'service', service: 'monitor', organizationId: 'org-1' };
const now = manualClock('2026-11-20T10:00:00Z');
const inAMinute = new Date('2026-11-20T10:01:00Z');

async function newKey(kid: string, algorithm: string = TOKEN_ALGORITHM) {
  const pair = await generateKeyPair(algorithm, { extractable: true });
  const jwk: JWK = { ...(await exportJWK(pair.publicKey)), kid, alg: algorithm };
  const sign = (
    claims: JWTPayload = claimsOf(caller, 'monitor'),
    issuer = TOKEN_ISSUER,
    expires: Date | undefined = inAMinute,
  ) => {
    const token = new SignJWT(claims).setProtectedHeader({ alg: algorithm, kid }).setIssuer(issuer);
    return (expires ? token.setExpirationTime(expires) : token).sign(pair.privateKey);
  };
  return { jwk, sign, pair };
}

const key = await newKey('ours');
const foreign = await newKey('ours');
const rsa = await newKey('ours', 'RS256');
const secret = new TextEncoder().encode(JSON.stringify(key.jwk));

const callers: Caller[] = [
  caller,
  { kind: 'service', service: 'checker', organizationId: undefined },
  {
    kind: 'credential',
    organizationId: 'org-1',
    credentialId: 'cred-1',
    actorEmail: 'jane@example.com',
    permissions: ['monitors:read', 'monitors:write'],
    limits: toLimits({ monitors: 3 }),
  },
];

test.each(callers)('a token identifies the caller: %j', async (expected) => {
  const verifier = createTokenVerifier(async () => ({ keys: [key.jwk] }), now.now);
  expect(await verifier.verify(await key.sign(claimsOf(expected, 'monitor')), 'monitor')).toEqual(expected);
});

test('the lifetime of a token does not depend on the clock of its holder', async () => {
  const issuedAt = new Date('2026-11-20T09:59:00Z');
  const claims = claimsOf(caller, 'monitor');
  const token = new SignJWT({ ...claims, iat: issuedAt.getTime() / 1000 }).setProtectedHeader({ alg: TOKEN_ALGORITHM });
  expect(lifetimeMs(await token.setExpirationTime(inAMinute).sign(key.pair.privateKey))).toBe(120_000);
});

const refused: Record<string, Promise<string> | string> = {
  'no token at all': '',
  'not a token': 'eyJhbGciOiJFZERTQSJ9.e30.x',
  'the signature of another key': foreign.sign(),
  'another algorithm': rsa.sign(),
  'no algorithm': new UnsecuredJWT(claimsOf(caller, 'monitor'))
    .setIssuer(TOKEN_ISSUER)
    .setExpirationTime(inAMinute)
    .encode(),
  'the public key as a shared secret': new SignJWT(claimsOf(caller, 'monitor'))
    .setProtectedHeader({ alg: 'HS256', kid: 'ours' })
    .setIssuer(TOKEN_ISSUER)
    .setExpirationTime(inAMinute)
    .sign(secret),
  'another issuer': key.sign(claimsOf(caller, 'monitor'), 'somebody'),
  'an end in the past': key.sign(claimsOf(caller, 'monitor'), TOKEN_ISSUER, new Date('2026-11-20T09:59:59Z')),
  'no end': new SignJWT(claimsOf(caller, 'monitor'))
    .setProtectedHeader({ alg: TOKEN_ALGORITHM, kid: 'ours' })
    .setIssuer(TOKEN_ISSUER)
    .sign(key.pair.privateKey),
  'no caller': key.sign({}),
  'a caller of no known kind': key.sign({ sub: 'robot:1' }),
  'a credential without an organization': key.sign({ sub: 'credential:1', email: 'a@example.com', permissions: [] }),
};

test.each(Object.entries(refused))('a token with %s is rejected', async (_, token) => {
  const verifier = createTokenVerifier(async () => ({ keys: [key.jwk] }), now.now);
  await expect(verifier.verify(await token, 'monitor')).rejects.toMatchObject({
    name: 'ServiceError',
    kind: 'unauthenticated',
  });
});

test('an expired token is rejected', async () => {
  const clock = manualClock('2026-11-20T10:00:00Z');
  const verifier = createTokenVerifier(async () => ({ keys: [key.jwk] }), clock.now);
  const token = await key.sign();
  await verifier.verify(token, 'monitor');
  clock.advance(61_000);
  await expect(verifier.verify(token, 'monitor')).rejects.toMatchObject({ kind: 'unauthenticated' });
});

test('a token that is signed with an unknown key causes the keys to be fetched again, at a limited rate', async () => {
  const clock = manualClock('2026-11-20T10:00:00Z');
  const next = await newKey('next');
  const keys = [key.jwk];
  let fetches = 0;
  const fetchKeys = async () => {
    fetches += 1;
    return { keys };
  };
  let elapsedMs = 0;
  const verifier = createTokenVerifier(fetchKeys, clock.now, () => elapsedMs);
  await verifier.verify(await key.sign(), 'monitor');
  await expect(verifier.verify(await next.sign(), 'monitor')).rejects.toMatchObject({ kind: 'unauthenticated' });
  expect(fetches).toBe(1);

  keys.push(next.jwk);
  elapsedMs += 10_000;
  // The clock of the host was set back in the meantime.
  clock.advance(-3_600_000);
  expect(await verifier.verify(await next.sign(), 'monitor')).toEqual(caller);
  expect(fetches).toBe(2);
});
