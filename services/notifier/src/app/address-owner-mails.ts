import { v7 } from 'uuid';
import { insertDeliveries } from '../storage/insert-deliveries.ts';
import { claimUnaddressed, organizationsWithMail } from '../storage/owner-mail-store.ts';
import type { Deps } from './ports.ts';

const BATCH = 100;

/**
 * Inserts one delivery of each unaddressed email for each owner of its organization, in the order of the emails. Runs
 * in one transaction per organization, in whichever replica comes first, so each owner gets each email once.
 * @throws the error of the request for the owners; the emails stay unaddressed.
 */
export async function addressOwnerMails({ database, owners, now }: Deps): Promise<'again' | 'done'> {
  const organizationIds = await database.transaction('every organization', (tx) => organizationsWithMail(tx, BATCH));
  for (const organizationId of organizationIds) {
    const found = await owners.of(organizationId);
    await database.transaction({ organizationId }, async (tx) => {
      const at = now();
      for (const { id: mailId, resourceId } of await claimUnaddressed(tx, organizationId, at)) {
        await insertDeliveries(
          tx,
          { organizationId, resourceId, now: at },
          found.map(({ id: ownerId, email: address }) => ({ id: v7(), mailId, ownerId, address, status: 'pending' })),
        );
      }
    });
  }
  return organizationIds.length === BATCH ? 'again' : 'done';
}
