import { protectByOrganization, sqlMigration } from '@tocsin/database';

export const brokenChannels = sqlMigration(
  '012-broken-channels',
  `
  -- Broken alert channels. A monitor shows a warning if all of its channels are broken.
  create table broken_channel (
    channel_id uuid primary key,
    organization_id uuid not null
  );
  create index broken_channel_by_organization on broken_channel (organization_id);
  ${protectByOrganization('broken_channel')}
  `,
);
