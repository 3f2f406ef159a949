import { v7 } from 'uuid';
import { withOrganization } from '../domain/owner-emails.ts';
import { renderEmail } from '../domain/render-email.ts';
import { insertDeliveries } from '../storage/insert-deliveries.ts';
import { claimUnaddressed, organizationsWithMail, replaceContent } from '../storage/owner-mail-store.ts';
import type { Deps } from './ports.ts';

const BATCH = 100;

/**
 * Inserts one delivery of each unaddressed email for each owner of its organization, in the order of the emails, which
 * then name the organization if identity returns its name. Runs in one transaction per organization, in whichever
 * replica comes first, so each owner gets each email once.
 * @throws the error of the request for the owners; the emails stay unaddressed.
 */
export async function addressOwnerMails({ database, owners, organizations, now }: Deps): Promise<'again' | 'done'> {
  const organizationIds = await database.transaction('every organization', (tx) => organizationsWithMail(tx, BATCH));
  for (const organizationId of organizationIds) {
    const found = await owners.of(organizationId);
    const name = await organizations.nameOf(organizationId);
    await database.transaction({ organizationId }, async (tx) => {
      const at = now();
      for (const { id: mailId, resourceId, letter } of await claimUnaddressed(tx, organizationId, at)) {
        if (letter && name !== undefined) {
          await replaceContent(tx, { id: mailId, organizationId }, renderEmail(withOrganization(letter, name)));
        }
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
