import { sqlMigration } from '@tocsin/database';

/** Adds the first factor of sign-ins that await a code, so that codes are counted for each first factor. */
export const firstFactors = sqlMigration(
  '011-first-factors',
  `
  -- First factor of a session that awaits a code: link or password. Null for other sessions.
  alter table session add column first_factor text;
  `,
);
