import { sqlMigration } from '@tocsin/database';

/** A channel that was deleted while an incident was open at its pager stays until that is closed there. */
export const deletedChannels = sqlMigration(
  '008-deleted-channels',
  `
  alter table channel add column deleted_at timestamptz;
  create index channel_deleted on channel (deleted_at) where deleted_at is not null;
  `,
);
