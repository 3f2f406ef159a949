import { protectByOrganization, sqlMigration } from '@tocsin/database';

/**
 * Pages show no component as operational that nobody checks. Monitors from before this have no row until they change.
 */
export const monitorConditions = sqlMigration(
  '005-monitor-conditions',
  `
  create table monitor_condition (
    monitor_id uuid primary key,
    organization_id uuid not null,
    enabled boolean not null,
    state text not null check (state in ('pending', 'up', 'down', 'stale'))
  );
  ${protectByOrganization('monitor_condition')}`,
);
