import { sqlMigration } from '@tocsin/database';

/** Adds indexes for the deletion of old deliveries, and for the deliveries that a stopped organization drops. */
export const endedDeliveries = sqlMigration(
  '019-ended-deliveries',
  `
  create index delivery_ended on delivery ((coalesce(finished_at, created_at))) where status <> 'pending';
  create index delivery_unsent on delivery (organization_id) where status in ('pending', 'held', 'grouped');
  `,
);
