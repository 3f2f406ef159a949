import { sqlMigration } from '@tocsin/database';

/** Adds an alert's disruption, so that messages can name it. */
export const disruptionIds = sqlMigration('004-disruption-ids', 'alter table alert add disruption_id uuid');
