import { sqlMigration } from '@tocsin/database';

/** Adds the id of an alert's disruption, so that messages can name the disruption. */
export const disruptionIds = sqlMigration('004-disruption-ids', 'alter table alert add disruption_id uuid');
