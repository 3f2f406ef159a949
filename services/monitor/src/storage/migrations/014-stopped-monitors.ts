import { sqlMigration } from '@tocsin/database';

/** Adds a column that marks the monitors that were enabled when their organization was stopped. */
export const stoppedMonitors = sqlMigration(
  '014-stopped-monitors',
  `
  -- Whether the monitor was enabled when its organization was stopped. It is enabled again when the organization resumes.
  alter table monitor add column enabled_before_stop boolean not null default false;
  `,
);
