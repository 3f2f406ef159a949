import { protectByOrganization, sqlMigration } from '@tocsin/database';

export const deletedChannels = sqlMigration(
  '010-deleted-channels',
  `
  -- Channels that were deleted lately: a monitor that was about to be linked to one must not be.
  create table deleted_channel (
    channel_id uuid primary key,
    organization_id uuid not null,
    deleted_at timestamptz not null
  );
  create index deleted_channel_by_organization on deleted_channel (organization_id);
  ${protectByOrganization('deleted_channel')}
  `,
);
