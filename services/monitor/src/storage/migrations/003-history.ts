import { protectByOrganization, sqlMigration } from '@tocsin/database';

export const history = sqlMigration(
  '003-history',
  `
  -- Row-level security must not hide the existing rows, which belong to several organizations.
  select set_config('tocsin.every_organization', 'on', true);

  alter table check_result add column organization_id uuid;
  update check_result set organization_id = monitor.organization_id from monitor where monitor.id = monitor_id;
  delete from check_result where organization_id is null;
  alter table check_result alter column organization_id set not null;
  ${protectByOrganization('check_result')}

  -- Counts of the results of one hour in one region. Calculated from check_result, and recalculated after a late
  -- result.
  create table result_hour (
    monitor_id uuid not null,
    organization_id uuid not null,
    hour timestamptz not null,
    region text not null,
    passed integer not null,
    failed integer not null,
    errors integer not null,
    timeouts integer not null,
    -- Response times of passed checks: buckets of a sketch, and the number of times in each bucket.
    time_buckets smallint[] not null,
    time_counts integer[] not null,
    primary key (monitor_id, hour, region)
  ) partition by range (hour);
  ${protectByOrganization('result_hour')}

  -- Counts of whole UTC days, calculated from the hours.
  create table result_day (
    monitor_id uuid not null,
    organization_id uuid not null,
    day timestamptz not null,
    region text not null,
    passed integer not null,
    failed integer not null,
    errors integer not null,
    timeouts integer not null,
    time_buckets smallint[] not null,
    time_counts integer[] not null,
    primary key (monitor_id, day, region)
  );
  create index result_day_by_day on result_day using brin (day);
  ${protectByOrganization('result_day')}

  -- Progress of counting. Hours before rolled_to are counted in result_hour. Late results of hours before sealed_to are
  -- queued in roll_up_due.
  create table roll_up_progress (
    id boolean primary key default true check (id),
    sealed_to timestamptz not null,
    rolled_to timestamptz not null check (rolled_to <= sealed_to)
  );
  insert into roll_up_progress (sealed_to, rolled_to)
  select since, since from (select date_trunc('hour', coalesce(min(round_at), now()), 'UTC') as since from check_result) as first;

  -- Hours in which a monitor got a result after the hour was sealed. Their counts have to be recalculated. Rows are only
  -- appended, because an hour that is being recalculated may get another late result.
  create table roll_up_due (
    id bigint generated always as identity primary key,
    monitor_id uuid not null,
    organization_id uuid not null,
    hour timestamptz not null
  );
  ${protectByOrganization('roll_up_due')}

  -- State changes of monitors, with their explanations.
  create table transition (
    id uuid primary key,
    monitor_id uuid not null references monitor on delete cascade,
    organization_id uuid not null,
    state text not null,
    previous_state text,
    entered_at timestamptz not null,
    error text not null,
    explanation text not null,
    rule text not null,
    streak_since timestamptz,
    streak_rounds integer not null,
    votes jsonb not null
  );
  create index transition_by_monitor on transition (monitor_id, id desc);
  create index transition_by_time on transition using brin (entered_at);
  ${protectByOrganization('transition')}

  -- Rounds without any result. Each row is a series of rounds with a constant distance in seconds.
  create table silence (
    monitor_id uuid not null references monitor on delete cascade,
    organization_id uuid not null,
    first_at timestamptz not null,
    last_at timestamptz not null,
    step_seconds integer not null,
    primary key (monitor_id, first_at)
  );
  create index silence_by_time on silence using brin (last_at);
  ${protectByOrganization('silence')}

  -- Latest certificate that each region received.
  create table certificate (
    monitor_id uuid not null references monitor on delete cascade,
    organization_id uuid not null,
    region text not null,
    fingerprint text not null,
    issuer text not null,
    subject text not null,
    not_before timestamptz,
    not_after timestamptz not null,
    valid boolean not null,
    problem text not null,
    first_seen_at timestamptz not null,
    primary key (monitor_id, region)
  );
  ${protectByOrganization('certificate')}

  -- Expiry thresholds of certificates that have been announced.
  create table certificate_notice (
    monitor_id uuid not null references monitor on delete cascade,
    organization_id uuid not null,
    fingerprint text not null,
    threshold_days smallint not null,
    primary key (monitor_id, fingerprint, threshold_days)
  );
  ${protectByOrganization('certificate_notice')}
  `,
);
