import { randomBytes } from 'node:crypto';
import { invalid, notFound } from '@tocsin/errors';
import { isId } from '@tocsin/text';
import { v7 } from 'uuid';
import { checkNewServiceCredential, type NewServiceCredential } from '../domain/new-service-credential.ts';
import type { ServiceCredential } from '../domain/service-credential.ts';
import { insertAudit } from '../storage/audit-store.ts';
import { organizationExists } from '../storage/organization-store.ts';
import {
  countServiceCredentials,
  insertServiceCredential,
  lockServiceCredentials,
  listServiceCredentials as readServiceCredentials,
  revokeServiceCredential as revoke,
} from '../storage/service-credential-store.ts';
import { API_KEY_BYTES, formatServiceCredential, hashApiKey } from './api-key.ts';
import type { Deps } from './ports.ts';

/** Maximum number of credentials per organization, and of credentials without an organization. */
const MAX_CREDENTIALS = 100;
/** Maximum number of credentials created within 24 hours. This also limits the number of stored revoked credentials. */
const MAX_CREATED_PER_DAY = 500;
const DAY_MS = 24 * 3_600_000;

/**
 * Creates a service credential, and returns it with its secret, which can not be read later. A credential without an
 * organization may act in every organization. The creation of such a credential is not recorded in an audit log,
 * because each audit log belongs to an organization.
 * @throws ServiceError `invalid` that names all invalid fields or the exceeded limit, `not_found` if the organization
 * does not exist.
 */
export async function createServiceCredential(
  { database, now }: Deps,
  {
    organizationId,
    actor,
    ...input
  }: NewServiceCredential & { readonly organizationId: string | undefined; readonly actor: string },
): Promise<{ credential: ServiceCredential; secret: string }> {
  const createdAt = now();
  const wanted = checkNewServiceCredential(input, createdAt);
  if (organizationId !== undefined && !isId(organizationId)) throw notFound('organization');
  const secret = formatServiceCredential(randomBytes(API_KEY_BYTES));
  const created = { id: v7(), organizationId, ...wanted, createdAt, createdBy: actor };
  const scope = organizationId === undefined ? 'every organization' : { organizationId };
  await database.transaction(scope, async (tx) => {
    if (organizationId !== undefined && !(await organizationExists(tx, organizationId))) throw notFound('organization');
    await lockServiceCredentials(tx, organizationId);
    const { active, created: today } = await countServiceCredentials(
      tx,
      organizationId,
      new Date(createdAt.getTime() - DAY_MS),
    );
    if (active >= MAX_CREDENTIALS) throw invalid({ service_credentials: [`are limited to ${MAX_CREDENTIALS}`] });
    if (today >= MAX_CREATED_PER_DAY) {
      throw invalid({ service_credentials: [`are limited to ${MAX_CREATED_PER_DAY} created within 24 hours`] });
    }
    await insertServiceCredential(tx, { ...created, secretHash: hashApiKey(secret) });
    if (organizationId === undefined) return;
    const { name, permissions, audiences, expiresAt, tokenSeconds } = wanted;
    await insertAudit(tx, {
      organizationId,
      actor,
      action: 'service_credential.created',
      targetId: created.id,
      details: {
        name,
        permissions,
        audiences,
        token_seconds: tokenSeconds,
        expires_at: expiresAt?.toISOString() ?? null,
      },
      occurredAt: createdAt,
    });
  });
  return { credential: { ...created, lastUsedAt: undefined }, secret };
}

/**
 * Returns the credentials of an organization that were not revoked, newest first. Without an organization, returns the
 * credentials that are not bound to any organization.
 * @throws ServiceError `not_found` if the organization does not exist.
 */
export async function listServiceCredentials(
  { database }: Deps,
  organizationId: string | undefined,
): Promise<ServiceCredential[]> {
  if (organizationId === undefined) {
    return database.transaction('every organization', (tx) => readServiceCredentials(tx, undefined));
  }
  if (!isId(organizationId)) throw notFound('organization');
  return database.transaction({ organizationId }, async (tx) => {
    if (!(await organizationExists(tx, organizationId))) throw notFound('organization');
    return readServiceCredentials(tx, organizationId);
  });
}

/**
 * Revokes a credential of any organization. The credential gets no new tokens. Services accept its existing tokens
 * until they expire.
 * @throws ServiceError `not_found` if the credential does not exist or was revoked before.
 */
export async function revokeServiceCredential(
  { database, now }: Deps,
  { id, actor }: { readonly id: string; readonly actor: string },
): Promise<void> {
  if (!isId(id)) throw notFound('service credential');
  const occurredAt = now();
  await database.transaction('every organization', async (tx) => {
    const revoked = await revoke(tx, id, occurredAt);
    if (!revoked) throw notFound('service credential');
    const { organizationId, name } = revoked;
    if (organizationId === undefined) return;
    const details = { name };
    await insertAudit(tx, {
      organizationId,
      actor,
      action: 'service_credential.revoked',
      targetId: id,
      details,
      occurredAt,
    });
  });
}
