import { sqlMigration } from '@tocsin/database';

/**
 * Adds columns that record whether monitors are overdue, so that the history of components includes the periods in
 * which their monitors were not checked. The first freshness check of each monitor is due immediately.
 */
export const monitorFreshness = sqlMigration(
  '013-monitor-freshness',
  `
  alter table monitor_condition
    -- Time at which the monitor becomes overdue without another round. Null before the first check.
    add column fresh_until timestamptz,
    add column is_overdue boolean not null default false,
    add column freshness_check_at timestamptz not null default 'epoch';
  create index monitor_condition_by_freshness_check on monitor_condition (freshness_check_at) where enabled;`,
);
