import { protectByOrganization, sqlMigration } from '@tocsin/database';

/**
 * Adds the history of the statuses that components showed. The history of an existing component begins when this
 * version starts.
 */
export const componentIntervals = sqlMigration(
  '007-component-intervals',
  `
  create table component_interval (
    component_id uuid not null references component on delete cascade,
    organization_id uuid not null,
    status text not null check (status in ('operational', 'under_maintenance', 'degraded_performance',
                                           'partial_outage', 'major_outage', 'no_data', 'not_monitored')),
    started_at timestamptz not null,
    -- Null while the component has this status.
    ended_at timestamptz check (ended_at > started_at),
    primary key (component_id, started_at)
  );
  create unique index component_interval_open on component_interval (component_id) where ended_at is null;
  create index component_interval_by_end on component_interval (ended_at);
  ${protectByOrganization('component_interval')}`,
);
