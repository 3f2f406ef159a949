import { type Limits, toLimits } from '@tocsin/enums';
import { invalid, ServiceError } from '@tocsin/errors';
import { type Credential, isUsable, isUseWorthNoting } from '../domain/credential.ts';
import { CREDENTIAL_TOKEN_MS, tokenEnd } from '../domain/token-lifetime.ts';
import { findCredential, recordUse } from '../storage/api-key-store.ts';
import { hashApiKey, isApiKey } from './api-key.ts';
import type { Deps } from './ports.ts';
import { isServiceName } from './service-secrets.ts';

export interface ExchangedCredential {
  /** Tokens by name of the service for which they are valid. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly expiresAt: Date;
  readonly credential: Credential;
  readonly limits: Limits;
}

/** Maximum number of services in a request. */
const MAX_AUDIENCES = 20;

/**
 * Exchanges an API key for internal tokens that expire within 30 s, one for each of the named services.
 * @throws ServiceError `unauthenticated`, with the same message for all reasons.
 */
export async function exchangeCredential(
  { database, signingKeys, defaultLimits, now }: Deps,
  { secret, audiences }: { secret: string; audiences: readonly string[] },
): Promise<ExchangedCredential> {
  if (audiences.length === 0 || audiences.length > MAX_AUDIENCES || !audiences.every(isServiceName)) {
    throw invalid({ audiences: [`must be 1 to ${MAX_AUDIENCES} names of services`] });
  }
  if (!isApiKey(secret)) throw notValid();
  const time = now();
  // Read across organizations, because the organization of the key is not known yet.
  const credential = await database.transaction('every organization', async (tx) => {
    const found = await findCredential(tx, hashApiKey(secret));
    if (!found || !isUsable(found, time)) return undefined;
    if (isUseWorthNoting(found, time)) await recordUse(tx, found, time);
    return found;
  });
  if (!credential) throw notValid();

  const { id, actorEmail, permissions, organization } = credential;
  const expiresAt = tokenEnd(time, CREDENTIAL_TOKEN_MS, credential.expiresAt);
  const limits = toLimits({ ...defaultLimits, ...credential.ownLimits });
  const caller = {
    kind: 'credential',
    organizationId: organization.id,
    credentialId: id,
    actorEmail,
    permissions,
    limits,
  } as const;
  const tokens = await Promise.all(
    audiences.map(async (audience) => [audience, await signingKeys.sign(caller, audience, expiresAt)] as const),
  );
  return { tokens: Object.fromEntries(tokens), expiresAt, credential, limits };
}

function notValid(): ServiceError {
  return new ServiceError('unauthenticated', 'the credential is unknown, revoked or expired');
}
