import { protectByOrganization, sqlMigration } from '@tocsin/database';

export const deadlines = sqlMigration(
  '004-deadlines',
  `
  -- Row-level security must not hide the existing rows, which belong to several organizations.
  select set_config('tocsin.every_organization', 'on', true);

  -- Enabled monitors that can become stale, with the time of the next check. Decided rounds do not update this table.
  -- The check reads the latest round instead.
  create table silence_watch (
    monitor_id uuid primary key references monitor on delete cascade,
    organization_id uuid not null,
    -- Time at which the monitor was created, enabled or changed. Missing rounds before it do not count.
    watched_from timestamptz not null,
    look_at timestamptz not null
  ) with (fillfactor = 70);
  create index silence_watch_by_look on silence_watch (look_at);
  ${protectByOrganization('silence_watch')}
  insert into silence_watch (monitor_id, organization_id, watched_from, look_at)
  select id, organization_id, now(), now() from monitor where enabled and check_type <> 'heartbeat';

  -- Periods in which the service was running, from since to seen_at. Short gaps are ignored.
  create table presence (
    since timestamptz primary key,
    seen_at timestamptz not null
  );

  -- Enabled monitors that are down, with the number of warnings sent and the time of the next step.
  create table down_watch (
    monitor_id uuid primary key references monitor on delete cascade,
    organization_id uuid not null,
    down_since timestamptz not null,
    warnings smallint not null,
    due_at timestamptz not null
  );
  create index down_watch_by_due on down_watch (due_at);
  ${protectByOrganization('down_watch')}
  insert into down_watch (monitor_id, organization_id, down_since, warnings, due_at)
  select id, monitor.organization_id, entered_at, 0, entered_at + interval '24 hours'
  from monitor join monitor_state on monitor_state.monitor_id = monitor.id where enabled and state = 'down';

  -- Automatic disruptions of each monitor in the last 24 hours.
  create table automatic_disruption (
    disruption_id uuid primary key,
    monitor_id uuid not null references monitor on delete cascade,
    organization_id uuid not null,
    opened_at timestamptz not null,
    -- Whether the owners were warned when this disruption opened.
    warned boolean not null
  );
  create index automatic_disruption_by_monitor on automatic_disruption (monitor_id, opened_at);
  ${protectByOrganization('automatic_disruption')}
  `,
);
