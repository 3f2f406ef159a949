import { type Limits, toLimits } from '@tocsin/enums';
import { invalid, ServiceError } from '@tocsin/errors';
import { sortedPermissions } from '../domain/check-permissions.ts';
import { type Credential, isUsable, isUseWorthNoting } from '../domain/credential.ts';
import { stoppedMessage } from '../domain/deletion.ts';
import { commonPermissions } from '../domain/oauth/scope.ts';
import { isRole, permissionsOf } from '../domain/role.ts';
import { CREDENTIAL_TOKEN_MS, tokenEnd } from '../domain/token-lifetime.ts';
import { findCredential, recordUse } from '../storage/api-key-store.ts';
import { findAccessToken } from '../storage/oauth-artifact-store.ts';
import { recordGrantUse } from '../storage/oauth-grant-store.ts';
import { hashApiKey, isApiKey } from './api-key.ts';
import type { Deps } from './ports.ts';
import { hashSecret, isSecret } from './secret.ts';
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
 * Exchanges an API key or an OAuth access token for internal tokens that expire within 30 s, one for each of the named
 * services.
 * @throws ServiceError `unauthenticated`, with the same message for all reasons; `forbidden` if the organization is
 * stopped.
 */
export async function exchangeCredential(
  deps: Deps,
  { secret, audiences }: { secret: string; audiences: readonly string[] },
): Promise<ExchangedCredential> {
  if (audiences.length === 0 || audiences.length > MAX_AUDIENCES || !audiences.every(isServiceName)) {
    throw invalid({ audiences: [`must be 1 to ${MAX_AUDIENCES} names of services`] });
  }
  const { signingKeys, defaultLimits } = deps;
  const time = deps.now();
  const credential = await readCredential(deps, secret, time);
  if (!credential) throw new ServiceError('unauthenticated', 'the credential is unknown, revoked or expired');

  const { id, actorEmail, permissions, organization } = credential;
  if (organization.deleteAt) throw new ServiceError('forbidden', stoppedMessage(organization.deleteAt));
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

/** Returns the credential with this secret and records its use; undefined if it is unknown, revoked or expired. */
async function readCredential({ database }: Deps, secret: string, now: Date): Promise<Credential | undefined> {
  // The transaction sees every organization, because the organization of the credential is not known yet.
  if (isApiKey(secret)) {
    return database.transaction('every organization', async (tx) => {
      const found = await findCredential(tx, hashApiKey(secret));
      if (!found || !isUsable(found, now)) return undefined;
      if (isUseWorthNoting(found, now)) await recordUse(tx, found, now);
      return found;
    });
  }
  if (!isSecret(secret)) return undefined;
  return database.transaction('every organization', async (tx) => {
    const found = await findAccessToken(tx, hashSecret(secret));
    if (!found || !isRole(found.role)) return undefined;
    const { scope, role, ...grant } = found;
    const permissions = sortedPermissions(commonPermissions(scope.split(' '), permissionsOf(role)));
    const credential: Credential = { ...grant, kind: 'oauth', permissions, revokedAt: undefined };
    if (!isUsable(credential, now)) return undefined;
    if (isUseWorthNoting(credential, now)) await recordGrantUse(tx, credential, now);
    return credential;
  });
}
