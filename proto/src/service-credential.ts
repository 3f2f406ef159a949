import { timestampDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createClient, type Interceptor, type Transport } from '@connectrpc/connect';
import { IdentityService } from '../gen/tocsin/identity/v1/identity_pb.ts';

export interface ServiceCredentialOptions {
  /** Transport to identity, which exchanges the secret for tokens. */
  readonly identity: Transport;
  /** Secret of the service credential. */
  readonly secret: string;
  /** Service that is called, such as `monitor`. */
  readonly audience: string;
  /** Organization to act in. Required if the credential is not bound to an organization. */
  readonly organizationId?: string;
  /** Returns the current time. Only tests replace it. */
  readonly now?: () => Date;
}

/** Fraction of a token's lifetime that is left when the token is renewed. */
const RENEW_AT = 0.2;

interface HeldToken {
  readonly token: string;
  /** Times in milliseconds since the epoch. */
  readonly renewAt: number;
  readonly endsAt: number;
}

/**
 * Returns an interceptor that authenticates the calls of a Connect client with a service credential. The first call
 * exchanges the secret for a token. A call exchanges the secret again if at most a fifth of the token's lifetime
 * remains. Concurrent calls share an exchange. If an exchange fails while the current token is valid, calls use the
 * current token. A unary call that is refused as unauthenticated is repeated once with a new token.
 *
 * A call fails with the error from the exchange if there is no valid token.
 */
export function serviceCredential(options: ServiceCredentialOptions): Interceptor {
  const { identity, secret, audience, organizationId = '', now = () => new Date() } = options;
  const client = createClient(IdentityService, identity);
  let held: HeldToken | undefined;
  let exchange: Promise<HeldToken> | undefined;

  async function newToken(): Promise<HeldToken> {
    const startedAt = now().getTime();
    const { token, expiresAt } = await client.exchangeServiceCredential({ secret, audience, organizationId });
    if (!expiresAt) throw new ConnectError('identity returned a token without an expiry', Code.Internal);
    const endsAt = timestampDate(expiresAt).getTime();
    held = { token, endsAt, renewAt: endsAt - (endsAt - startedAt) * RENEW_AT };
    return held;
  }

  function renew(): Promise<HeldToken> {
    exchange ??= newToken().finally(() => {
      exchange = undefined;
    });
    return exchange;
  }

  async function currentToken(): Promise<string> {
    const current = held;
    if (current && now().getTime() < current.renewAt) return current.token;
    try {
      return (await renew()).token;
    } catch (error) {
      if (current && current === held && now().getTime() < current.endsAt) return current.token;
      throw error;
    }
  }

  return (next) => async (request) => {
    const token = await currentToken();
    request.header.set('authorization', `Bearer ${token}`);
    if (request.stream) return next(request);
    try {
      return await next(request);
    } catch (error) {
      if (ConnectError.from(error).code !== Code.Unauthenticated) throw error;
      if (held?.token === token) held = undefined;
      request.header.set('authorization', `Bearer ${await currentToken()}`);
      return next(request);
    }
  };
}
