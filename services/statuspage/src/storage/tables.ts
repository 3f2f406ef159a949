/**
 * Tables and columns of this service after all migrations. Written by test/tables.test.ts: run it with --update after
 * adding a migration.
 */
export interface Tables {
  component: {
    id: string;
    organization_id: string;
    status_page_id: string;
    component_group_id: string | null;
    name: string;
    description: string | null;
    position: number;
    status: string;
    status_changed_at: Date;
    created_at: Date;
    updated_at: Date;
    start_date: string | null;
  };
  component_group: {
    id: string;
    organization_id: string;
    status_page_id: string;
    name: string;
    position: number;
    created_at: Date;
    updated_at: Date;
    default_open: boolean | null;
  };
  component_interval: {
    component_id: string;
    organization_id: string;
    status: string;
    started_at: Date;
    ended_at: Date | null;
  };
  component_monitor: {
    component_id: string;
    organization_id: string;
    monitor_id: string;
    position: number;
    down_status: string;
  };
  disruption_component: {
    disruption_id: string;
    component_id: string;
    organization_id: string;
    status_page_id: string;
    name: string;
    status: string;
    position: number;
  };
  disruption_view: {
    id: string;
    organization_id: string;
    title: string;
    type: string;
    status: string;
    impact: string;
    auto_created: boolean;
    started_at: Date;
    resolved_at: Date | null;
    updates: unknown;
    created_at: Date;
    updated_at: Date;
    status_page_ids: string[];
    ends_at: Date | null;
    automatic_title: boolean;
  };
  logo_fetches: {
    organization_id: string;
    minute: Date;
    fetches: number;
  };
  monitor_condition: {
    monitor_id: string;
    organization_id: string;
    enabled: boolean;
    state: string;
    fresh_until: Date | null;
    is_overdue: boolean;
    freshness_check_at: Date;
  };
  page_logo: {
    status_page_id: string;
    organization_id: string;
    variant: string;
    url: string;
    fetch_at: Date;
    failures: number;
    error: string | null;
    content: Buffer | null;
    hash: string | null;
    format: string | null;
  };
  released_slug: {
    slug: string;
    organization_id: string;
    status_page_id: string | null;
    expires_at: Date;
  };
  status_page: {
    id: string;
    organization_id: string;
    name: string;
    slug: string;
    description: string | null;
    theme: string;
    primary_color: string | null;
    logo_light_url: string | null;
    logo_dark_url: string | null;
    show_theme_switcher: boolean;
    enabled: boolean;
    subscribers_enabled: boolean;
    created_at: Date;
    updated_at: Date;
    domain: string | null;
    domain_status: string | null;
    domain_token: string;
    domain_check_at: Date | null;
    domain_unproven_since: Date | null;
    show_uptime: boolean;
    homepage_url: string | null;
    support_url: string | null;
    locale: string;
    noindex: boolean;
    enabled_before_stop: boolean;
  };
}
