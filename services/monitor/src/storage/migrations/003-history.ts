import { protectByOrganization, sqlMigration } from '@tocsin/database';

export const history = sqlMigration(
  '003-history',
  `
  -- What is there belongs to every organization.
  select set_config('tocsin.every_organization', 'on', true);

  alter table check_result add column organization_id uuid;
  update check_result set organization_id = monitor.organization_id from monitor where monitor.id = monitor_id;
  delete from check_result where organization_id is null;
  alter table check_result alter column organization_id set not null;
  ${protectByOrganization('check_result')}

  -- The results of one hour in one region. Made from the rows of check_result, again when one of them came late.
  create table result_hour (
    monitor_id uuid not null,
    organization_id uuid not null,
    hour timestamptz not null,
    region text not null,
    passed integer not null,
    failed integer not null,
    errors integer not null,
    timeouts integer not null,
    -- How long the passes took: buckets of a sketch, and how many lie in each.
    time_buckets smallint[] not null,
    time_counts integer[] not null,
    primary key (monitor_id, hour, region)
  ) partition by range (hour);
  ${protectByOrganization('result_hour')}

  -- The same of whole days, UTC, made from the hours.
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

  -- Results of hours before sealed_to are announced in roll_up_due; hours before rolled_to are in result_hour.
  create table roll_up_progress (
    id boolean primary key default true check (id),
    sealed_to timestamptz not null,
    rolled_to timestamptz not null check (rolled_to <= sealed_to)
  );
  insert into roll_up_progress (sealed_to, rolled_to)
  select since, since from (select date_trunc('hour', coalesce(min(round_at), now()), 'UTC') as since from check_result) as first;

  -- Hours of monitors that got a result after they were sealed. Only ever appended to: an entry that is being worked off
  -- says nothing of what comes while it is.
  create table roll_up_due (
    id bigint generated always as identity primary key,
    monitor_id uuid not null,
    organization_id uuid not null,
    hour timestamptz not null
  );
  ${protectByOrganization('roll_up_due')}

  -- Every change of a monitor's state, and why.
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

  -- Rounds that nobody answered, each row a row of rounds so many seconds apart.
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

  -- The certificate that each region saw last.
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

  -- Which thresholds of expiry were announced for which certificate.
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
