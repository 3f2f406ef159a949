import { sqlMigration } from '@tocsin/database';

/**
 * Adds a column for the id of the disruption that will be opened for a monitor that went down during a maintenance.
 * Existing rows get a random id.
 */
export const outages = sqlMigration(
  '003-outages',
  `
  alter table held_down add outage_id uuid not null default gen_random_uuid();
  alter table held_down alter outage_id drop default;
  `,
);
