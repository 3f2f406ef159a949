import { markOf } from '../src/app/mail-recipients.ts';
import type { NotifierFixture } from './start-notifier.ts';

/** Marks recipients of an organization as confirmed, so that they get no confirmation request. */
export async function confirmRecipients(
  { query }: Pick<NotifierFixture, 'query'>,
  organizationId: string,
  addresses: readonly string[],
): Promise<void> {
  await query(
    `insert into mail_recipient (organization_id, mark, sealed_address, status)
     select $1, mark, 'nobody reads it', 'confirmed' from unnest($2::text[]) as t(mark) on conflict do nothing`,
    [organizationId, addresses.map((address) => markOf(organizationId, address))],
  );
}
