import { toLimits } from '@tocsin/enums';
import { invalid, notFound, ServiceError } from '@tocsin/errors';
import { isId } from '@tocsin/text';
import { isUseWorthNoting } from '../domain/credential.ts';
import { stoppedMessage } from '../domain/deletion.ts';
import { organizationOfToken, type ServiceCredential } from '../domain/service-credential.ts';
import { tokenEnd } from '../domain/token-lifetime.ts';
import { findOrganizationDeletion } from '../storage/deletion-store.ts';
import { listLimits } from '../storage/limit-store.ts';
import { firstOwner } from '../storage/organization-store.ts';
import { findUsableServiceCredential, recordServiceCredentialUse } from '../storage/service-credential-store.ts';
import { hashApiKey, isServiceCredential } from './api-key.ts';
import { isAttemptLeft, isWithinLimit } from './limit-attempts.ts';
import type { Deps } from './ports.ts';

const FAILURES = 'service_credential_from_network';

/**
 * Exchanges a service credential for a token for direct calls to one service. Calls with the token are attributed to
 * the organization's first owner, like calls with an API key that the operator created.
 * @throws ServiceError `rate_limited` after too many failures from the address; `unauthenticated` with the same message
 * for an unknown, malformed, revoked or expired secret; `forbidden` if the credential is not valid for the service or
 * the organization; `invalid` if the organization is required and missing; `not_found` if the organization does not
 * exist.
 */
export async function exchangeServiceCredential(
  deps: Deps,
  {
    secret,
    audience,
    organizationId: requested,
    address,
  }: {
    readonly secret: string;
    /** Service for which the token is valid. */
    readonly audience: string;
    /** Organization to act in; undefined for the organization of the credential. */
    readonly organizationId: string | undefined;
    /** Address of the client's connection. */
    readonly address: string;
  },
): Promise<{ token: string; expiresAt: Date }> {
  if (!(await isAttemptLeft(deps, FAILURES, address))) {
    throw new ServiceError('rate_limited', 'too many failed exchanges from this address; try again later');
  }
  const time = deps.now();
  const credential = await readCredential(deps, secret, time);
  if (!credential) {
    await isWithinLimit(deps, FAILURES, address);
    throw new ServiceError('unauthenticated', 'the service credential is unknown, revoked or expired');
  }
  if (!credential.audiences.includes(audience)) {
    const valid = credential.audiences.join(', ');
    throw new ServiceError('forbidden', `this service credential is valid only for the services ${valid}`);
  }
  const organizationId = organizationOfToken(credential, requested);
  if (organizationId === undefined) {
    if (credential.organizationId !== undefined) {
      throw new ServiceError('forbidden', 'this service credential is bound to another organization');
    }
    throw invalid({ organization_id: ['is required, because the credential is bound to no organization'] });
  }
  if (!isId(organizationId)) throw notFound('organization');
  const { owner, ownLimits, deleteAt } = await deps.database.transaction({ organizationId }, async (tx) => ({
    owner: await firstOwner(tx, organizationId),
    ownLimits: await listLimits(tx, organizationId),
    deleteAt: await findOrganizationDeletion(tx, organizationId),
  }));
  if (!owner) throw notFound('organization');
  if (deleteAt) throw new ServiceError('forbidden', stoppedMessage(deleteAt));
  const expiresAt = tokenEnd(time, credential.tokenSeconds * 1000, credential.expiresAt);
  const caller = {
    kind: 'credential',
    organizationId,
    credentialId: credential.id,
    actorEmail: owner.email,
    permissions: credential.permissions,
    limits: toLimits({ ...deps.defaultLimits, ...ownLimits }),
  } as const;
  return { token: await deps.signingKeys.sign(caller, audience, expiresAt), expiresAt };
}

/** Returns the credential with this secret and records its use; undefined if it is unknown, revoked or expired. */
async function readCredential({ database }: Deps, secret: string, now: Date): Promise<ServiceCredential | undefined> {
  if (!isServiceCredential(secret)) return undefined;
  // The transaction sees every organization, because the organization of the credential is not known yet.
  return database.transaction('every organization', async (tx) => {
    const found = await findUsableServiceCredential(tx, hashApiKey(secret), now);
    if (found && isUseWorthNoting(found, now)) await recordServiceCredentialUse(tx, found.id, now);
    return found;
  });
}
