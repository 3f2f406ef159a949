import { sqlMigration } from '@tocsin/database';

/**
 * Adds deleted channels. The row of a channel that is deleted with an open incident remains until the incident is
 * closed.
 */
export const deletedChannels = sqlMigration(
  '008-deleted-channels',
  `
  alter table channel add column deleted_at timestamptz;
  create index channel_deleted on channel (deleted_at) where deleted_at is not null;
  `,
);
