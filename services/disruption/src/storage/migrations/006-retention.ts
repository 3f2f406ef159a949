import { sqlMigration } from '@tocsin/database';

/** Finds automatic disruptions that ended before the retention period. */
export const retention = sqlMigration(
  '006-retention',
  'create index disruption_automatic_ended on disruption (resolved_at) where auto_created and resolved_at is not null',
);
