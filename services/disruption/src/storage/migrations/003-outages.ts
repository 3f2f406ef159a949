import { sqlMigration } from '@tocsin/database';

/** What the disruption of a held down will be called. Those that are held at this moment get any id. */
export const outages = sqlMigration(
  '003-outages',
  `
  alter table held_down add outage_id uuid not null default gen_random_uuid();
  alter table held_down alter outage_id drop default;
  `,
);
