import { ServiceError } from '@tocsin/errors';
import { type Credential, isUsable, isUseWorthNoting } from '../domain/credential.ts';
import { CREDENTIAL_TOKEN_MS, tokenEnd } from '../domain/token-lifetime.ts';
import { findCredential, recordUse } from '../storage/api-key-store.ts';
import { hashApiKey, isApiKey } from './api-key.ts';
import type { Deps } from './ports.ts';

export interface ExchangedCredential {
  readonly token: string;
  readonly expiresAt: Date;
  readonly credential: Credential;
}

/**
 * Trades an API key for an internal token that ends within 30 s.
 * @throws ServiceError `unauthenticated`, in the same words whatever is wrong with the key.
 */
export async function exchangeCredential(
  { database, signingKeys, now }: Deps,
  { secret }: { secret: string },
): Promise<ExchangedCredential> {
  if (!isApiKey(secret)) throw notValid();
  const time = now();
  // The organization is what is looked for here.
  const credential = await database.transaction('every organization', async (tx) => {
    const found = await findCredential(tx, hashApiKey(secret));
    if (!found || !isUsable(found, time)) return undefined;
    if (isUseWorthNoting(found, time)) await recordUse(tx, found, time);
    return found;
  });
  if (!credential) throw notValid();

  const { id, actorEmail, permissions, organization } = credential;
  const expiresAt = tokenEnd(time, CREDENTIAL_TOKEN_MS, credential.expiresAt);
  const token = await signingKeys.sign(
    { kind: 'credential', organizationId: organization.id, credentialId: id, actorEmail, permissions },
    expiresAt,
  );
  return { token, expiresAt, credential };
}

function notValid(): ServiceError {
  return new ServiceError('unauthenticated', 'the credential is unknown, revoked or expired');
}
