import { sqlMigration } from '@tocsin/database';

/** Adds a column for the settings of the links between a monitor and its alert channels. */
export const channelLinks = sqlMigration(
  '013-channel-links',
  `
  -- Settings of the links in alert_channel_ids. Links without settings have no entry.
  alter table monitor add column alert_channel_links jsonb not null default '[]';
  `,
);
