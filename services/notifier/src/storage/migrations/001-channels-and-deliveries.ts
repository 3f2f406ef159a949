import { protectByOrganization, sqlMigration } from '@tocsin/database';

export const channelsAndDeliveries = sqlMigration(
  '001-channels-and-deliveries',
  `
  create table channel (
    id uuid primary key,
    organization_id uuid not null,
    name text not null,
    type text not null,
    -- JSON text of the request, sealed by the vault for the context 'channel/<id>'.
    sealed_config text not null,
    enabled boolean not null,
    default_for_new_monitors boolean not null,
    broken_at timestamptz,
    broken_reason text check ((broken_at is null) = (broken_reason is null)),
    -- Number of consecutive alerts that were given up.
    failed_alerts integer not null,
    -- Increases when a person may have repaired the channel.
    revision integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  );
  create index channel_by_organization on channel (organization_id, id desc);
  ${protectByOrganization('channel')}

  create table alert (
    id uuid primary key,
    organization_id uuid not null,
    event_id uuid not null,
    kind text not null,
    monitor_id uuid not null,
    monitor_name text not null,
    monitor_url text not null,
    at timestamptz not null,
    down_since timestamptz,
    error text not null,
    occurred_at timestamptz not null,
    -- An event causes only one alert, even if it is redelivered.
    unique (organization_id, event_id)
  );
  create index alert_by_time on alert (occurred_at);
  ${protectByOrganization('alert')}

  create table delivery (
    id uuid primary key,
    -- Events of a monitor are handled in order, so later events have higher positions.
    position bigint generated always as identity,
    organization_id uuid not null,
    alert_id uuid not null references alert on delete cascade,
    channel_id uuid not null references channel on delete cascade,
    monitor_id uuid not null,
    status text not null check (status in ('pending', 'sent', 'failed', 'dropped')),
    attempts integer not null default 0,
    next_attempt_at timestamptz not null,
    -- Time until which a worker may attempt the delivery.
    leased_until timestamptz,
    last_error text,
    created_at timestamptz not null,
    finished_at timestamptz,
    unique (alert_id, channel_id)
  ) with (fillfactor = 80);
  create index delivery_due on delivery (channel_id, position) where status = 'pending';
  create index delivery_order on delivery (monitor_id, channel_id, position) where status = 'pending';
  ${protectByOrganization('delivery')}

  create table delivery_attempt (
    id uuid primary key,
    delivery_id uuid not null references delivery on delete cascade,
    organization_id uuid not null,
    at timestamptz not null,
    outcome text not null,
    http_status integer,
    duration_ms integer not null,
    error text
  );
  create index delivery_attempt_by_delivery on delivery_attempt (delivery_id, at);
  ${protectByOrganization('delivery_attempt')}
  `,
);
