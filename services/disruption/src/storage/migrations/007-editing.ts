import { sqlMigration } from '@tocsin/database';

/**
 * Adds columns for entries and disruptions. An entry has the time of the last change to its text, and whether its
 * notifications were suppressed. A disruption has the pages from which it was removed, and whether its title is
 * automatic. The title of an existing automatic disruption counts as automatic if it ends with "is down".
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
