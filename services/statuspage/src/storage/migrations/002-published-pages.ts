import { sqlMigration } from '@tocsin/database';

/**
 * Adds a column for the pages that a disruption is published to. A disruption may be published to a page without
 * affecting a component of the page.
 */
export const publishedPages = sqlMigration(
  '002-published-pages',
  `
  alter table disruption_view add status_page_ids uuid[] not null default '{}';
  update disruption_view d set status_page_ids =
    array(select distinct a.status_page_id from disruption_component a where a.disruption_id = d.id);
  alter table disruption_view alter status_page_ids drop default;
  create index disruption_view_by_page on disruption_view using gin (status_page_ids);
  drop index disruption_component_by_page`,
);
