import { sqlMigration } from '@tocsin/database';

/**
 * Records which titles the system wrote. An existing title is assumed to be one of them if it ends with ` is down` and
 * its disruption is automatic.
 */
export const automaticTitles = sqlMigration(
  '008-automatic-titles',
  `
  alter table disruption_view add automatic_title boolean not null default false;
  set local tocsin.every_organization = 'on';
  update disruption_view set automatic_title = true where auto_created and title like '% is down'`,
);
