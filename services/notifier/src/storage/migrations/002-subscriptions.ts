import { protectByOrganization, sqlMigration } from '@tocsin/database';

export const subscriptions = sqlMigration(
  '002-subscriptions',
  `
  create table subscription (
    id uuid primary key,
    organization_id uuid not null,
    url text not null,
    events text[] not null,
    -- The signing secret, sealed by the vault for the context 'subscription/<id>'.
    sealed_secret text not null,
    enabled boolean not null,
    -- Increases when a person may have repaired the subscription.
    revision integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
  );
  create index subscription_by_organization on subscription (organization_id, id desc);
  ${protectByOrganization('subscription')}

  create table message (
    id uuid primary key,
    organization_id uuid not null,
    event_id uuid not null,
    kind text not null,
    -- Content of every attempt, byte by byte.
    body text not null,
    occurred_at timestamptz not null,
    -- An event causes only one message, even if it is redelivered.
    unique (organization_id, event_id)
  );
  create index message_by_time on message (occurred_at);
  ${protectByOrganization('message')}

  -- A delivery contains either an alert to a channel or a message to a subscription.
  alter table delivery rename column monitor_id to resource_id;
  alter table delivery
    alter column alert_id drop not null,
    alter column channel_id drop not null,
    add column message_id uuid references message on delete cascade,
    add column subscription_id uuid references subscription on delete cascade,
    add column recipient_id uuid not null generated always as (coalesce(channel_id, subscription_id)) stored,
    add unique (message_id, subscription_id),
    add check (
      (channel_id is null) = (alert_id is null) and (subscription_id is null) = (message_id is null)
      and num_nonnulls(channel_id, subscription_id) = 1
    );
  drop index delivery_due;
  drop index delivery_order;
  create index delivery_order on delivery (recipient_id, resource_id, position) include (id) where status = 'pending';
  create index delivery_by_channel on delivery (channel_id, id desc) where channel_id is not null;
  create index delivery_by_subscription on delivery (subscription_id, id desc) where subscription_id is not null;
  `,
);
