import { ALL_PERMISSIONS, type Limits, toLimits } from '@tocsin/enums';
import {
  type Caller,
  claimsOf,
  createTokenVerifier,
  TOKEN_ALGORITHM,
  TOKEN_ISSUER,
  type TokenVerifier,
} from '@tocsin/runtime';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** Replacement for the identity service in tests. It signs internal tokens with its own key. */
export interface TestIdentity {
  /** Verifier that trusts only this identity's tokens, for the `verifier` override of a service. */
  readonly verifier: TokenVerifier;
  /** Returns a token for a service. A token without an organization is for work across organizations. */
  serviceToken(service: string, organizationId?: string, audience?: string): Promise<string>;
  /**
   * Returns a token like those that identity issues to the gateway for an API key. By default it has every permission.
   */
  credentialToken(organizationId: string, credential?: TestCredential, audience?: string): Promise<string>;
  /** Returns a token that expired a minute ago. */
  expiredToken(caller: Caller, audience: string): Promise<string>;
}

/** Default audience of tokens: all services and the servers of tests. */
const ANY_AUDIENCE = ['identity', 'monitor', 'checker', 'disruption', 'statuspage', 'notifier', 'sample'];

export interface TestCredential {
  readonly credentialId?: string;
  readonly actorEmail?: string;
  readonly permissions?: readonly string[];
  /** Limits of the organization. Absent limits have their default values. */
  readonly limits?: Partial<Limits>;
}

const KEY_ID = 'test-key';

/** Returns an identity with a new Ed25519 key. Its tokens are valid for an hour. */
export async function testIdentity(): Promise<TestIdentity> {
  const { publicKey, privateKey } = await generateKeyPair(TOKEN_ALGORITHM, { crv: 'Ed25519' });
  const jwk = { ...(await exportJWK(publicKey)), kid: KEY_ID, alg: TOKEN_ALGORITHM, use: 'sig' };

  function sign(caller: Caller, audience?: string, expires: string | Date = '1h'): Promise<string> {
    return new SignJWT(claimsOf(caller, audience ?? ANY_AUDIENCE))
      .setProtectedHeader({ alg: TOKEN_ALGORITHM, kid: KEY_ID })
      .setIssuer(TOKEN_ISSUER)
      .setIssuedAt()
      .setExpirationTime(expires)
      .sign(privateKey);
  }

  return {
    verifier: createTokenVerifier(async () => ({ keys: [jwk] })),
    serviceToken: (service, organizationId, audience) => sign({ kind: 'service', service, organizationId }, audience),
    credentialToken: (organizationId, credential = {}, audience) =>
      sign(
        {
          kind: 'credential',
          organizationId,
          credentialId: '01920000-0000-7000-8000-00000000c0de',
          actorEmail: 'jane@example.com',
          permissions: ALL_PERMISSIONS,
          ...credential,
          limits: toLimits(credential.limits ?? {}),
        },
        audience,
      ),
    expiredToken: (caller, audience) => sign(caller, audience, new Date(Date.now() - 60_000)),
  };
}
