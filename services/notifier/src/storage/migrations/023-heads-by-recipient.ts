import { sqlMigration } from '@tocsin/database';

/**
 * Adds an index with which due deliveries are read from the recipients of an organization one after the other, and from
 * each one first attempts and retries separately. Deliveries that may not be sent now are then not read at all.
 */
export const headsByRecipient = sqlMigration(
  '023-heads-by-recipient',
  `
  create index delivery_head_by_recipient on delivery_head (organization_id, recipient_id, (attempts > 0), due_at)
    where not to_subscriber;
  `,
);
