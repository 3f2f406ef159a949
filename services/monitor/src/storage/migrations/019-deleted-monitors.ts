import { protectByOrganization, sqlMigration } from '@tocsin/database';

export const deletedMonitors = sqlMigration(
  '019-deleted-monitors',
  `
  -- Deleted monitors whose history is still to be deleted, in small transactions.
  create table deleted_monitor (
    monitor_id uuid primary key,
    organization_id uuid not null,
    deleted_at timestamptz not null,
    -- Time at which the next rows are to be deleted.
    due_at timestamptz not null
  );
  create index deleted_monitor_due on deleted_monitor (due_at);
  ${protectByOrganization('deleted_monitor')}

  -- The rows of these tables are deleted after the monitor.
  alter table script_run drop constraint script_run_monitor_id_fkey;
  alter table screenshot drop constraint screenshot_monitor_id_fkey;
  `,
);
