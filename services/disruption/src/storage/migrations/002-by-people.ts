import { protectByOrganization, sqlMigration } from '@tocsin/database';

/**
 * Adds the columns for disruptions and maintenances that people open, and the table of monitors that went down during a
 * maintenance.
 */
export const byPeople = sqlMigration(
  '002-by-people',
  `
  alter table disruption
    -- Planned end of a maintenance.
    add ends_at timestamptz check (ends_at is null or type = 'maintenance'),
    -- Time of the next automatic start or completion of a maintenance.
    add due_at timestamptz check (due_at is null or status in ('scheduled', 'in_progress')),
    add status_page_ids uuid[] not null default '{}';
  update disruption d set status_page_ids =
    array(select distinct a.status_page_id from affected_component a where a.disruption_id = d.id);
  alter table disruption alter status_page_ids drop default;
  create index disruption_due on disruption (due_at) where due_at is not null;
  create index affected_component_by_component on affected_component (component_id);

  -- Monitors that went down during a maintenance, with the reason. If a monitor is still down at the end of the
  -- maintenance, its disruption is opened.
  create table held_down (
    monitor_id uuid primary key,
    organization_id uuid not null,
    monitor_name text not null,
    went_down_at timestamptz not null,
    explanation text not null,
    -- The components linked to the monitor when they were last read.
    component_ids uuid[] not null
  );
  ${protectByOrganization('held_down')}
  `,
);
