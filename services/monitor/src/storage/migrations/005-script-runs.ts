import { protectByOrganization, sqlMigration } from '@tocsin/database';

export const scriptRuns = sqlMigration(
  '005-script-runs',
  `
  -- Script runs of synthetic checks. They have a separate table, because few results have a script run.
  create table script_run (
    monitor_id uuid not null references monitor on delete cascade,
    organization_id uuid not null,
    round_at timestamptz not null,
    region text not null,
    steps jsonb not null,
    log text[] not null,
    failed_line integer,
    failed_column integer,
    primary key (monitor_id, round_at, region)
  );
  create index script_run_by_time on script_run using brin (round_at);
  ${protectByOrganization('script_run')}

  -- Screenshots of failed scripts. A screenshot is stored before its result.
  create table screenshot (
    monitor_id uuid not null references monitor on delete cascade,
    organization_id uuid not null,
    round_at timestamptz not null,
    region text not null,
    image bytea not null,
    primary key (monitor_id, round_at, region)
  );
  -- Images are not compressed further, because a JPEG is already compressed.
  alter table screenshot alter column image set storage external;
  create index screenshot_by_time on screenshot using brin (round_at);
  ${protectByOrganization('screenshot')}
  `,
);
