import { sqlMigration } from '@tocsin/database';

/** Visitors read until when a maintenance is planned. */
export const plannedEnds = sqlMigration('004-planned-ends', 'alter table disruption_view add ends_at timestamptz');
