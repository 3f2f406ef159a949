import { sqlMigration } from '@tocsin/database';

/**
 * Adds columns for the time at which an entry's text was last changed, for whether notifications about an entry were
 * suppressed, for the pages from which a disruption was removed, and for whether a title is automatic. An existing
 * title counts as automatic if it has the form of an automatic title.
 */
export const editing = sqlMigration(
  '007-editing',
  `
  alter table disruption_update
    add edited_at timestamptz,
    add silent boolean not null default false;
  alter table disruption
    add automatic_title boolean not null default false,
    add hidden_page_ids uuid[] not null default '{}';
  set local tocsin.every_organization = 'on';
  update disruption set automatic_title = true where auto_created and title like '% is down'`,
);
