import { sqlMigration } from '@tocsin/database';

/** Supports deleted channels with open incidents. The row of such a channel remains until its incidents are closed. */
export const deletedChannels = sqlMigration(
  '008-deleted-channels',
  `
  alter table channel add column deleted_at timestamptz;
  create index channel_deleted on channel (deleted_at) where deleted_at is not null;
  `,
);
