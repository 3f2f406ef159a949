import { sqlMigration } from '@tocsin/database';

/** Adds settings for pages, groups and components. */
export const pageSettings = sqlMigration(
  '010-page-settings',
  `
  alter table status_page
    add homepage_url text,
    add support_url text,
    add locale text not null default 'en' check (locale in ('en', 'de', 'fr', 'es', 'ar')),
    add noindex boolean not null default false;
  -- Null: the page decides.
  alter table component_group add default_open boolean;
  alter table component add start_date date`,
);
