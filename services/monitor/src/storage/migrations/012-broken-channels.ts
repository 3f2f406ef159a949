import { protectByOrganization, sqlMigration } from '@tocsin/database';

export const brokenChannels = sqlMigration(
  '012-broken-channels',
  `
  -- Alert channels that are broken, so that a monitor can say that nobody is alerted.
  create table broken_channel (
    channel_id uuid primary key,
    organization_id uuid not null
  );
  create index broken_channel_by_organization on broken_channel (organization_id);
  ${protectByOrganization('broken_channel')}
  `,
);
