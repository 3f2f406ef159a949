import { protectByOrganization, sqlMigration } from '@tocsin/database';

export const deletedChannels = sqlMigration(
  '010-deleted-channels',
  `
  -- Recently deleted channels. A concurrent request must not link a monitor to one of them.
  create table deleted_channel (
    channel_id uuid primary key,
    organization_id uuid not null,
    deleted_at timestamptz not null
  );
  create index deleted_channel_by_organization on deleted_channel (organization_id);
  ${protectByOrganization('deleted_channel')}
  `,
);
