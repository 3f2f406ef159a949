import type { Transaction } from '@tocsin/database';
import type { Device, User } from '../domain/session.ts';
import { type AuditEntry, insertAudit } from '../storage/audit-store.ts';
import { listMemberships } from '../storage/membership-store.ts';

/** Records an action of a user in the audit log of each organization of which the user is a member. */
export async function insertUserAudit(
  tx: Transaction,
  user: User,
  { device, ...entry }: Pick<AuditEntry, 'action' | 'details' | 'occurredAt' | 'credentialId'> & { device: Device },
): Promise<void> {
  for (const { organization } of await listMemberships(tx, user.id)) {
    const { address } = device;
    const common = { organizationId: organization.id, actor: user.email, targetId: user.id, address };
    await insertAudit(tx, { ...entry, ...common });
  }
}
