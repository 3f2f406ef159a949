import { appendEvents } from '@tocsin/outbox';
import { v7 } from 'uuid';
import type { Organization } from '../domain/credential.ts';
import { checkNewOrganization, type NewOrganization } from '../domain/new-organization.ts';
import { organizationCreated } from '../events/outgoing.ts';
import { insertAudit } from '../storage/audit-store.ts';
import { insertOrganization, insertOwner, upsertUser } from '../storage/organization-store.ts';
import type { Deps } from './ports.ts';

/**
 * Creates an organization and its owner, who may be an existing user.
 * @throws ServiceError `invalid` that names all invalid fields.
 */
export async function createOrganization(
  { database, now }: Deps,
  { actor, ...wanted }: NewOrganization & { actor: string },
): Promise<{ organization: Organization; ownerId: string }> {
  checkNewOrganization(wanted);
  const organizationId = v7();
  const createdAt = now();
  return database.transaction({ organizationId }, async (tx) => {
    const organization = await insertOrganization(tx, { id: organizationId, name: wanted.name, createdAt });
    const ownerId = await upsertUser(tx, { id: v7(), email: wanted.ownerEmail, createdAt });
    await insertOwner(tx, { organizationId, userId: ownerId, createdAt });
    await insertAudit(tx, {
      organizationId,
      actor,
      action: 'organization.created',
      targetId: organizationId,
      details: { name: wanted.name, owner_id: ownerId },
      occurredAt: createdAt,
    });
    await appendEvents(tx, [organizationCreated(organization, wanted.ownerEmail)], createdAt);
    return { organization, ownerId };
  });
}
