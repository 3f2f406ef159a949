import { sqlMigration } from '@tocsin/database';

/**
 * Adds a column for the first factor of a session that awaits a code. Attempts to enter a code are counted separately
 * for each first factor.
 */
export const firstFactors = sqlMigration(
  '011-first-factors',
  `
  -- First factor of a session that awaits a code: link or password. Null for other sessions.
  alter table session add column first_factor text;
  `,
);
