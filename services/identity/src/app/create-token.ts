import { PERMISSIONS } from '@tocsin/enums';
import { invalid, notFound } from '@tocsin/errors';
import { v7, validate } from 'uuid';
import { permissionProblems, sortedPermissions } from '../domain/check-permissions.ts';
import { SERVICE_TOKEN_MS, tokenEnd } from '../domain/token-lifetime.ts';
import { insertAudit } from '../storage/audit-store.ts';
import { firstOwner } from '../storage/organization-store.ts';
import { getLimits } from './limits.ts';
import type { Deps } from './ports.ts';
import { isServiceName } from './service-secrets.ts';

export interface NewToken {
  readonly organizationId: string;
  /** Service for which the token is valid. */
  readonly audience: string;
  readonly permissions: readonly string[];
  /** Name of the caller in the audit log. */
  readonly actor: string;
}

/**
 * Creates a token for direct calls to one service on behalf of the organization's first owner. No API key is needed.
 * @throws ServiceError `invalid` that names all invalid fields, `not_found` if the organization does not exist.
 */
export async function createToken(
  deps: Deps,
  { organizationId, audience, permissions, actor }: NewToken,
): Promise<{ token: string; expiresAt: Date; permissions: readonly string[] }> {
  const { database, signingKeys, now } = deps;
  const problems = permissionProblems(permissions, PERMISSIONS);
  const fields = {
    ...(isServiceName(audience) ? {} : { audience: ['must be the name of the service that is to be called'] }),
    ...(problems.length > 0 && { permissions: problems }),
  };
  if (Object.keys(fields).length > 0) throw invalid(fields);
  if (!validate(organizationId)) throw notFound('organization');
  const credentialId = v7();
  const time = now();
  const sorted = sortedPermissions(permissions);
  const actorEmail = await database.transaction({ organizationId }, async (tx) => {
    const owner = await firstOwner(tx, organizationId);
    if (owner === undefined) throw notFound('organization');
    await insertAudit(tx, {
      organizationId,
      actor,
      action: 'token.created',
      targetId: credentialId,
      details: { audience, permissions: sorted },
      occurredAt: time,
    });
    return owner.email;
  });
  const { limits } = await getLimits(deps, organizationId);
  const expiresAt = tokenEnd(time, SERVICE_TOKEN_MS);
  const caller = { kind: 'credential', organizationId, credentialId, actorEmail, permissions: sorted, limits } as const;
  return { token: await signingKeys.sign(caller, audience, expiresAt), expiresAt, permissions: sorted };
}
