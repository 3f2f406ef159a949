import { sqlMigration } from '@tocsin/database';

/** Adds the columns that record who acknowledged a disruption, and when. */
export const acknowledgements = sqlMigration(
  '004-acknowledgements',
  `
  alter table disruption
    add acknowledged_at timestamptz,
    add acknowledged_by text check ((acknowledged_by is null) = (acknowledged_at is null));
  `,
);
