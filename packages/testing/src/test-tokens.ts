import {
  type Caller,
  claimsOf,
  createTokenVerifier,
  TOKEN_ALGORITHM,
  TOKEN_ISSUER,
  type TokenVerifier,
} from '@tocsin/runtime';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

/** Stands in for identity: signs internal tokens with a key of its own. */
export interface TestIdentity {
  /** Trusts this identity's tokens and no others; for the `verifier` override of a service. */
  readonly verifier: TokenVerifier;
  /** A token of a service's own identity; without an organization: for work that crosses them. */
  serviceToken(service: string, organizationId?: string): Promise<string>;
  /** A token as the gateway gets it for a public credential. */
  credentialToken(organizationId: string, credential?: TestCredential): Promise<string>;
}

export interface TestCredential {
  readonly credentialId?: string;
  readonly actorEmail?: string;
  readonly permissions?: readonly string[];
}

const KEY_ID = 'test-key';

/** An identity with a new Ed25519 key. Its tokens are good for an hour. */
export async function testIdentity(): Promise<TestIdentity> {
  const { publicKey, privateKey } = await generateKeyPair(TOKEN_ALGORITHM, { crv: 'Ed25519' });
  const jwk = { ...(await exportJWK(publicKey)), kid: KEY_ID, alg: TOKEN_ALGORITHM, use: 'sig' };

  function sign(caller: Caller): Promise<string> {
    return new SignJWT(claimsOf(caller))
      .setProtectedHeader({ alg: TOKEN_ALGORITHM, kid: KEY_ID })
      .setIssuer(TOKEN_ISSUER)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey);
  }

  return {
    verifier: createTokenVerifier(async () => ({ keys: [jwk] })),
    serviceToken: (service, organizationId) => sign({ kind: 'service', service, organizationId }),
    credentialToken: (organizationId, credential = {}) =>
      sign({
        kind: 'credential',
        organizationId,
        credentialId: '01920000-0000-7000-8000-00000000c0de',
        actorEmail: 'jane@example.com',
        permissions: [],
        ...credential,
      }),
  };
}
