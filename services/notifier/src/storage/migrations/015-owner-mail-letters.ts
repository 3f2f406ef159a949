import { sqlMigration } from '@tocsin/database';

/**
 * Adds a column for the unrendered content of emails to owners. These emails are rendered again when the organization's
 * name is known.
 */
export const ownerMailLetters = sqlMigration(
  '015-owner-mail-letters',
  `
  -- Content before rendering; null for emails that are older than this column.
  alter table owner_mail add column letter jsonb;
  `,
);
