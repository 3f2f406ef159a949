import { sqlMigration } from '@tocsin/database';

/** Adds the disruption of an alert, so that messages can name it. */
export const disruptionIds = sqlMigration('004-disruption-ids', 'alter table alert add disruption_id uuid');
