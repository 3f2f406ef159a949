import { protectByOrganization, sqlMigration } from '@tocsin/database';

/**
 * Adds a table of the conditions of monitors, so that components without data are not shown as operational. An existing
 * monitor has no row until its condition changes.
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
