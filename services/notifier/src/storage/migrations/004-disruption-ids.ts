import { sqlMigration } from '@tocsin/database';

/** Receivers are told which disruption an alert belongs to. */
export const disruptionIds = sqlMigration('004-disruption-ids', 'alter table alert add disruption_id uuid');
