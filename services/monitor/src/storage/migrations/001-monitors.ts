import { protectByOrganization, sqlMigration } from '@tocsin/database';

export const monitors = sqlMigration(
  '001-monitors',
  `
  create table monitor (
    id uuid primary key,
    organization_id uuid not null,
    name text not null,
    check_type text not null,
    enabled boolean not null,
    interval_seconds integer not null,
    timeout_ms integer not null,
    confirm_down_minutes integer not null,
    confirm_up_minutes integer not null,
    confirm_down_after integer not null,
    confirm_up_after integer not null,
    config_json text not null,
    alert_channel_ids uuid[] not null,
    version bigint not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  );
  create index monitor_by_organization on monitor (organization_id, id desc);
  create index monitor_by_channel on monitor using gin (alert_channel_ids);
  ${protectByOrganization('monitor')}

  -- State of the evaluator. A monitor without any decision has no row.
  create table monitor_state (
    monitor_id uuid primary key references monitor on delete cascade,
    organization_id uuid not null,
    state text not null,
    entered_at timestamptz not null,
    previous_state text,
    previous_entered_at timestamptz,
    streak_verdict text,
    streak_since timestamptz,
    streak_rounds integer not null,
    last_round_at timestamptz
  ) with (fillfactor = 70);
  ${protectByOrganization('monitor_state')}

  -- Time of the next round of each enabled monitor. Any replica claims rounds that are due.
  create table schedule (
    monitor_id uuid primary key references monitor on delete cascade,
    next_round_at timestamptz not null,
    interval_seconds integer not null,
    offset_seconds integer not null,
    timeout_ms integer not null,
    config_version bigint not null
  ) with (fillfactor = 70);
  create index schedule_by_time on schedule (next_round_at);

  -- Rounds that were started and are not decided yet.
  create table open_round (
    monitor_id uuid not null references monitor on delete cascade,
    round_at timestamptz not null,
    regions text[] not null,
    deadline timestamptz not null,
    primary key (monitor_id, round_at)
  );
  create index open_round_by_deadline on open_round (deadline);

  -- Result of each region in each round. Daily partitions are created ahead and dropped after the retention.
  create table check_result (
    monitor_id uuid not null,
    round_at timestamptz not null,
    region text not null,
    outcome text not null,
    error text not null,
    status_code smallint,
    dns_ms real,
    connect_ms real,
    tls_ms real,
    first_byte_ms real,
    total_ms real,
    checked_at timestamptz not null,
    primary key (monitor_id, round_at, region)
  ) partition by range (round_at);
  `,
);
