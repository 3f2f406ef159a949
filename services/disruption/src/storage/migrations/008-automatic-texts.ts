import { sqlMigration } from '@tocsin/database';

/** Adds a column for the kind of an entry's automatic text. It is null for existing entries: their kind is unknown. */
export const automaticTexts = sqlMigration(
  '008-automatic-texts',
  'alter table disruption_update add automatic_text text',
);
