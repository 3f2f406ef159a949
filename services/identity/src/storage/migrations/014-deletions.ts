import { sqlMigration } from '@tocsin/database';

/** Adds the times at which organizations and users are deleted. */
export const deletions = sqlMigration(
  '014-deletions',
  `
  -- Time at which the organization is deleted. It is stopped until then. Null if no deletion was requested.
  alter table organization add column delete_at timestamptz;
  create index organization_deletion on organization (delete_at) where delete_at is not null;

  -- Time at which the user is deleted. Null if the user did not ask for the deletion.
  alter table app_user add column delete_at timestamptz;
  create index app_user_deletion on app_user (delete_at) where delete_at is not null;

  create index api_key_user on api_key (user_id);
  `,
);
