import { protectByOrganization, sqlMigration } from '@tocsin/database';

/** Limits of single organizations, and which key created which. */
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
    -- The key that created it; null for one that the operator created, and for those from before this column.
    add column created_by_key_id uuid references api_key,
    add column created_by text;
  create index api_key_created_by on api_key (created_by_key_id) where created_by_key_id is not null;
  `,
);
