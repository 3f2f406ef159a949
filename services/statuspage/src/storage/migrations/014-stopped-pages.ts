import { sqlMigration } from '@tocsin/database';

/** Adds a column that marks the pages that were enabled when their organization was stopped. */
export const stoppedPages = sqlMigration(
  '014-stopped-pages',
  `
  -- Whether the page was enabled when its organization was stopped. It is enabled again when the organization resumes.
  alter table status_page add column enabled_before_stop boolean not null default false;
  `,
);
