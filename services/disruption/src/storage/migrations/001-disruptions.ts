import { protectByOrganization, sqlMigration } from '@tocsin/database';

export const disruptions = sqlMigration(
  '001-disruptions',
  `
  create table disruption (
    id uuid primary key,
    organization_id uuid not null,
    title text not null,
    type text not null,
    status text not null,
    impact text not null,
    auto_created boolean not null,
    monitor_id uuid check (auto_created = (monitor_id is not null)),
    started_at timestamptz not null,
    resolved_at timestamptz check ((resolved_at is not null) = (status in ('resolved', 'completed'))),
    created_at timestamptz not null,
    updated_at timestamptz not null
  );
  create index disruption_by_organization on disruption (organization_id, id desc);
  -- A monitor has at most one open automatic disruption, even if events are repeated.
  create unique index disruption_open_automatic on disruption (monitor_id) where auto_created and resolved_at is null;
  ${protectByOrganization('disruption')}

  -- Timeline entries.
  create table disruption_update (
    id uuid primary key,
    disruption_id uuid not null references disruption on delete cascade,
    organization_id uuid not null,
    status text not null,
    body text not null,
    posted_at timestamptz not null,
    posted_by text not null
  );
  create index disruption_update_by_disruption on disruption_update (disruption_id, posted_at desc, id desc);
  ${protectByOrganization('disruption_update')}

  create table affected_component (
    disruption_id uuid not null references disruption on delete cascade,
    component_id uuid not null,
    organization_id uuid not null,
    name text not null,
    status text not null,
    status_page_id uuid not null,
    -- Order of components with the same status.
    position integer not null,
    primary key (disruption_id, component_id)
  );
  ${protectByOrganization('affected_component')}
  `,
);
