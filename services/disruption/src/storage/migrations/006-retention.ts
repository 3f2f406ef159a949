import { sqlMigration } from '@tocsin/database';

/** Adds an index for finding automatic disruptions whose retention time has passed. */
export const retention = sqlMigration(
  '006-retention',
  'create index disruption_automatic_ended on disruption (resolved_at) where auto_created and resolved_at is not null',
);
