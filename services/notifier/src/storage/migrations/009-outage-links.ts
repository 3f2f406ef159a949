import { sqlMigration } from '@tocsin/database';

/** Adds the data for public outage pages. */
export const outageLinks = sqlMigration(
  '009-outage-links',
  `
  -- Key that signs the links, sealed by the vault for the context 'outage-links'. The only row belongs to no
  -- organization.
  create table link_key (
    only_one boolean primary key default true check (only_one),
    sealed_key text not null
  );
  create index alert_by_disruption on alert (disruption_id, occurred_at) where disruption_id is not null;
  `,
);
