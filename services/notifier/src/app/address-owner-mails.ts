import { v7 } from 'uuid';
import { withOrganization } from '../domain/owner-emails.ts';
import { renderEmail } from '../domain/render-email.ts';
import { findOwnersWithBrokenNotice } from '../storage/broken-notice-store.ts';
import { insertDeliveries } from '../storage/insert-deliveries.ts';
import { claimUnaddressed, organizationsWithMail, replaceContent } from '../storage/owner-mail-store.ts';
import type { Deps } from './ports.ts';

const BATCH = 100;

/**
 * Inserts the deliveries of emails to owners: one delivery per owner for each email that was not processed yet, in the
 * order of the emails. Adds the organization's name to an email if the identity service returns the name. The email
 * about a channel that is enabled again goes only to owners who got the email about the broken channel. Runs one
 * transaction per organization. Each owner gets each email once, even if several replicas run this at the same time.
 * @throws an error if the identity service does not return the owners. The emails then have no deliveries until a later
 * call succeeds.
 */
export async function addressOwnerMails({ database, owners, organizations, now }: Deps): Promise<'again' | 'done'> {
  const organizationIds = await database.transaction('every organization', (tx) => organizationsWithMail(tx, BATCH));
  for (const organizationId of organizationIds) {
    const found = await owners.of(organizationId);
    const name = await organizations.nameOf(organizationId);
    await database.transaction({ organizationId }, async (tx) => {
      const at = now();
      for (const { id: mailId, kind, resourceId, letter } of await claimUnaddressed(tx, organizationId, at)) {
        if (letter && name !== undefined) {
          await replaceContent(tx, { id: mailId, organizationId }, renderEmail(withOrganization(letter, name)));
        }
        const notified =
          kind === 'channel_healed'
            ? await findOwnersWithBrokenNotice(tx, { organizationId, channelId: resourceId })
            : undefined;
        insertDeliveries(
          tx,
          { organizationId, resourceId, now: at },
          (notified ? found.filter(({ id }) => notified.has(id)) : found).map(({ id: ownerId, email: address }) => ({
            id: v7(),
            mailId,
            ownerId,
            address,
            status: 'pending',
          })),
        );
      }
    });
  }
  return organizationIds.length === BATCH ? 'again' : 'done';
}
