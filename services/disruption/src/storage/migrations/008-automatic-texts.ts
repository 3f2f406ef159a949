import { sqlMigration } from '@tocsin/database';

/** Adds which text of an entry the system wrote. It is not known for existing entries. */
export const automaticTexts = sqlMigration(
  '008-automatic-texts',
  'alter table disruption_update add automatic_text text',
);
