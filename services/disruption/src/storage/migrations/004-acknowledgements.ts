import { sqlMigration } from '@tocsin/database';

/** Who takes care of a disruption, and since when. */
export const acknowledgements = sqlMigration(
  '004-acknowledgements',
  `
  alter table disruption
    add acknowledged_at timestamptz,
    add acknowledged_by text check ((acknowledged_by is null) = (acknowledged_at is null));
  `,
);
