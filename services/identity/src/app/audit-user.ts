import type { Transaction } from '@tocsin/database';
import type { Device, User } from '../domain/session.ts';
import { type AuditEntry, insertAudit } from '../storage/audit-store.ts';
import { listMemberships } from '../storage/membership-store.ts';

/**
 * Records an action on a user in the audit log of each organization that the user is a member of. The actor defaults to
 * the user.
 */
export async function insertUserAudit(
  tx: Transaction,
  user: User,
  {
    device,
    actor = user.email,
    ...entry
  }: Pick<AuditEntry, 'action' | 'details' | 'occurredAt' | 'credentialId'> & { device?: Device; actor?: string },
): Promise<void> {
  for (const { organization } of await listMemberships(tx, user.id)) {
    const address = device?.address;
    await insertAudit(tx, { ...entry, organizationId: organization.id, actor, targetId: user.id, address });
  }
}
