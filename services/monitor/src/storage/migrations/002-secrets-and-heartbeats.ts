import { protectByOrganization, sqlMigration } from '@tocsin/database';

export const secretsAndHeartbeats = sqlMigration(
  '002-secrets-and-heartbeats',
  `
  alter table monitor add column secret_names text[] not null default '{}', add column heartbeat_token text;
  create unique index monitor_by_heartbeat_token on monitor (heartbeat_token);

  -- All secrets of a monitor, sealed together. A monitor without secrets has no row.
  create table monitor_secrets (
    monitor_id uuid primary key references monitor on delete cascade,
    organization_id uuid not null,
    sealed text not null
  );
  ${protectByOrganization('monitor_secrets')}

  -- Ping schedule and next deadline of each heartbeat monitor.
  create table heartbeat (
    monitor_id uuid primary key references monitor on delete cascade,
    organization_id uuid not null,
    expected_seconds integer not null,
    misses integer not null,
    -- Deadline of the next ping. A ping that has not arrived by then is missed.
    miss_at timestamptz not null,
    -- Time of the next decision without a ping. Null while the monitor is disabled.
    due_at timestamptz,
    job_started_at timestamptz,
    last_error text not null,
    -- Start of the minute in which pings are counted, and their number.
    window_at timestamptz not null,
    window_count integer not null
  ) with (fillfactor = 70);
  create index heartbeat_by_due on heartbeat (due_at) where due_at is not null;
  ${protectByOrganization('heartbeat')}
  `,
);
