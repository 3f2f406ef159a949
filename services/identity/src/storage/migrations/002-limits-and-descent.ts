import { protectByOrganization, sqlMigration } from '@tocsin/database';

/** Adds limits per organization, and columns for the creators of keys. */
export const limitsAndDescent = sqlMigration(
  '002-limits-and-descent',
  `
  create table organization_limit (
    organization_id uuid not null references organization,
    name text not null,
    value bigint not null check (value >= 0),
    primary key (organization_id, name)
  );
  ${protectByOrganization('organization_limit')}

  alter table api_key
    -- Key that created this key. Null if the operator created it, or if it is older than this column.
    add column created_by_key_id uuid references api_key,
    add column created_by text;
  create index api_key_created_by on api_key (created_by_key_id) where created_by_key_id is not null;
  `,
);
