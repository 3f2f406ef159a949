import { timestampDate } from '@bufbuild/protobuf/wkt';
import { IdentityService } from '@tocsin/proto/identity/v1/identity';
import { createTokenVerifier, type TokenVerifier } from './internal-token.ts';
import { createRpcClient, createTransport } from './rpc-client.ts';

/** Internal tokens of this service's own identity. */
export interface TokenSource {
  /** A token that is good for at least another half minute; without an organization: for work that crosses them. */
  token(organizationId?: string): Promise<string>;
}

export interface ServiceIdentity {
  /** This service's name. */
  readonly service: string;
  /** The secret that the operator gave it. */
  readonly secret: string;
  /** `http://host:port` of identity. */
  readonly identityUrl: string;
}

const MARGIN_MS = 30_000;
const REMEMBERED = 10_000;

/** Trades the service's secret for tokens at identity, one per organization, and keeps each while it is good. */
export function createTokenSource({ service, secret, identityUrl }: ServiceIdentity): TokenSource {
  const identity = createRpcClient(IdentityService, createTransport({ url: identityUrl }));
  const held = new Map<string, { token: Promise<string>; goodUntil: number }>();

  async function issue(organizationId: string): Promise<string> {
    const { token, expiresAt } = await identity.issueServiceToken({ service, secret, organizationId });
    const entry = held.get(organizationId);
    if (entry && expiresAt) entry.goodUntil = timestampDate(expiresAt).getTime() - MARGIN_MS;
    return token;
  }

  return {
    token(organizationId = '') {
      const known = held.get(organizationId);
      if (known && known.goodUntil > Date.now()) return known.token;
      if (held.size >= REMEMBERED) held.clear();
      // Until the answer tells more, everybody who asks meanwhile waits for the same one.
      const entry = { token: Promise.resolve().then(() => issue(organizationId)), goodUntil: Number.POSITIVE_INFINITY };
      held.set(organizationId, entry);
      entry.token.catch(() => held.delete(organizationId));
      return entry.token;
    },
  };
}

/** Verifies tokens with the keys that identity publishes. */
export function createRemoteTokenVerifier(identityUrl: string): TokenVerifier {
  const identity = createRpcClient(IdentityService, createTransport({ url: identityUrl }));
  return createTokenVerifier(async () => JSON.parse((await identity.listSigningKeys({})).jwksJson));
}
