import { protectByOrganization, sqlMigration } from '@tocsin/database';

export const maintenance = sqlMigration(
  '006-maintenance',
  `
  -- Periods in which a monitor was under maintenance through a linked component. A period without to_at has not ended.
  create table maintenance (
    disruption_id uuid not null,
    monitor_id uuid not null references monitor on delete cascade,
    organization_id uuid not null,
    from_at timestamptz not null,
    to_at timestamptz,
    primary key (disruption_id, monitor_id, from_at)
  );
  create index maintenance_by_monitor on maintenance (monitor_id, from_at);
  ${protectByOrganization('maintenance')}

  -- Monitors whose alert was suppressed, because they changed their state under maintenance.
  create table held_alert (
    monitor_id uuid primary key references monitor on delete cascade,
    organization_id uuid not null,
    error text not null
  );
  ${protectByOrganization('held_alert')}
  `,
);
