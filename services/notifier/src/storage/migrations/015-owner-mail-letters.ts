import { sqlMigration } from '@tocsin/database';

/** Adds the content of emails to owners before rendering, because the organization's name is added later. */
export const ownerMailLetters = sqlMigration(
  '015-owner-mail-letters',
  `
  -- Content before rendering; null for emails that are older than this column.
  alter table owner_mail add column letter jsonb;
  `,
);
