import { sqlMigration } from '@tocsin/database';

/** Adds a setting for whether a page shows the uptime of its components. */
export const showUptime = sqlMigration(
  '009-show-uptime',
  'alter table status_page add show_uptime boolean not null default true',
);
