import { sqlMigration } from '@tocsin/database';

/** Adds a column for the planned end of a maintenance. */
export const plannedEnds = sqlMigration('004-planned-ends', 'alter table disruption_view add ends_at timestamptz');
