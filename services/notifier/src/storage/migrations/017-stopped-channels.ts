import { sqlMigration } from '@tocsin/database';

/** Adds columns for whether a channel or subscription was enabled when its organization was stopped. */
export const stoppedChannels = sqlMigration(
  '017-stopped-channels',
  `
  -- Whether the recipient was enabled when its organization was stopped. It is enabled again when the organization
  -- resumes.
  alter table channel add column enabled_before_stop boolean not null default false;
  alter table subscription add column enabled_before_stop boolean not null default false;
  `,
);
