import { protectByOrganization, sqlMigration } from '@tocsin/database';

export const secretsAndHeartbeats = sqlMigration(
  '002-secrets-and-heartbeats',
  `
  alter table monitor add column secret_names text[] not null default '{}', add column heartbeat_token text;
  create unique index monitor_by_heartbeat_token on monitor (heartbeat_token);

  -- All secret variables of a monitor, sealed together. No row: it has none.
  create table monitor_secrets (
    monitor_id uuid primary key references monitor on delete cascade,
    organization_id uuid not null,
    sealed text not null
  );
  ${protectByOrganization('monitor_secrets')}

  -- What is expected of the pings of a heartbeat monitor, and when to look next.
  create table heartbeat (
    monitor_id uuid primary key references monitor on delete cascade,
    organization_id uuid not null,
    expected_seconds integer not null,
    misses integer not null,
    -- A ping that did not come until then is missed.
    miss_at timestamptz not null,
    -- When something has to be decided without a ping; null while the monitor is disabled.
    due_at timestamptz,
    job_started_at timestamptz,
    last_error text not null,
    -- The minute in which pings are counted, and how many came.
    window_at timestamptz not null,
    window_count integer not null
  ) with (fillfactor = 70);
  create index heartbeat_by_due on heartbeat (due_at) where due_at is not null;
  ${protectByOrganization('heartbeat')}
  `,
);
