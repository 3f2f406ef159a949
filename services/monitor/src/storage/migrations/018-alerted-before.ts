import { sqlMigration } from '@tocsin/database';

/** Records whether a monitor with a suppressed alert was alerted of before. */
export const alertedBefore = sqlMigration(
  '018-alerted-before',
  `
  -- Whether the monitor was already down or stale before, and an alert about that was sent. The recovery is then not
  -- suppressed.
  alter table held_alert add column alerted_before boolean not null default false;
  `,
);
