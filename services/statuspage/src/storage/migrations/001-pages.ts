import { protectByOrganization, sqlMigration } from '@tocsin/database';

export const pages = sqlMigration(
  '001-pages',
  `
  create table status_page (
    id uuid primary key,
    organization_id uuid not null,
    name text not null,
    -- Part of the public address, so it is unique over all organizations.
    slug text not null constraint status_page_slug unique,
    description text,
    theme text not null check (theme in ('system', 'light', 'dark')),
    primary_color text,
    logo_light_url text,
    logo_dark_url text,
    show_theme_switcher boolean not null,
    enabled boolean not null,
    subscribers_enabled boolean not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  );
  create index status_page_by_organization on status_page (organization_id, id desc);
  ${protectByOrganization('status_page')}

  create table component_group (
    id uuid primary key,
    organization_id uuid not null,
    status_page_id uuid not null references status_page on delete cascade,
    name text not null,
    position integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  );
  create index component_group_by_page on component_group (status_page_id);
  ${protectByOrganization('component_group')}

  create table component (
    id uuid primary key,
    organization_id uuid not null,
    status_page_id uuid not null references status_page on delete cascade,
    component_group_id uuid references component_group,
    name text not null,
    description text,
    position integer not null,
    -- The worst status that active disruptions give to the component.
    status text not null default 'operational',
    status_changed_at timestamptz not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  );
  create index component_by_page on component (status_page_id);
  create index component_by_group on component (component_group_id);
  ${protectByOrganization('component')}

  create table component_monitor (
    component_id uuid not null references component on delete cascade,
    organization_id uuid not null,
    monitor_id uuid not null,
    position integer not null,
    down_status text not null check (down_status in ('degraded_performance', 'partial_outage', 'major_outage')),
    primary key (component_id, monitor_id)
  );
  create index component_monitor_by_monitor on component_monitor (organization_id, monitor_id);
  ${protectByOrganization('component_monitor')}

  -- Copies of the disruption service's data. Only events change them.
  create table disruption_view (
    id uuid primary key,
    organization_id uuid not null,
    title text not null,
    type text not null,
    status text not null,
    impact text not null,
    auto_created boolean not null,
    started_at timestamptz not null,
    resolved_at timestamptz,
    -- Timeline entries, newest first: [{id, status, body, postedAt}].
    updates jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  );
  ${protectByOrganization('disruption_view')}

  -- The row remains when the component is deleted, because the page continues to show past disruptions.
  create table disruption_component (
    disruption_id uuid not null references disruption_view on delete cascade,
    component_id uuid not null,
    organization_id uuid not null,
    status_page_id uuid not null,
    name text not null,
    status text not null,
    position integer not null,
    primary key (disruption_id, component_id)
  );
  create index disruption_component_by_component on disruption_component (component_id);
  create index disruption_component_by_page on disruption_component (status_page_id);
  ${protectByOrganization('disruption_component')}`,
);
