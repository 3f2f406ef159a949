import { sqlMigration } from '@tocsin/database';

/** Keeps the content of emails to owners until the name of their organization is known. */
export const ownerMailLetters = sqlMigration(
  '015-owner-mail-letters',
  `
  -- Content before it was rendered; null for emails that are older than this column.
  alter table owner_mail add column letter jsonb;
  `,
);
