import { protectByOrganization, sqlMigration } from '@tocsin/database';

export const mail = sqlMigration(
  '003-mail',
  `
  alter table alert
    add column cert_expires_at timestamptz,
    add column cert_days_remaining integer check ((cert_expires_at is null) = (cert_days_remaining is null));

  create table owner_mail (
    id uuid primary key,
    -- Events of a monitor are handled in order, so later events have higher positions.
    position bigint generated always as identity,
    organization_id uuid not null,
    event_id uuid not null,
    kind text not null,
    -- Id of the monitor, channel or subscription. Emails about the same resource reach an owner in order.
    resource_id uuid not null,
    -- Content of every attempt, byte by byte.
    subject text not null,
    body_text text not null,
    body_html text not null,
    occurred_at timestamptz not null,
    -- Time at which a delivery for each owner was inserted.
    addressed_at timestamptz,
    -- An event causes only one email, even if it is redelivered.
    unique (organization_id, event_id)
  );
  create index owner_mail_unaddressed on owner_mail (organization_id, position) where addressed_at is null;
  create index owner_mail_by_time on owner_mail (occurred_at);
  ${protectByOrganization('owner_mail')}

  -- Channels of each monitor according to its events, and the time since which it has had none.
  create table watched_monitor (
    id uuid primary key,
    organization_id uuid not null,
    name text not null,
    channel_ids uuid[] not null,
    unheard_since timestamptz check ((unheard_since is null) = (channel_ids <> '{}'))
  );
  create index watched_monitor_unheard on watched_monitor (organization_id, unheard_since) where unheard_since is not null;
  create index watched_monitor_channels on watched_monitor using gin (channel_ids);
  ${protectByOrganization('watched_monitor')}

  -- A delivery contains an alert to a channel, a message to a subscription, or an email to an owner.
  alter table delivery drop column recipient_id;
  alter table delivery
    add column mail_id uuid references owner_mail on delete cascade,
    add column owner_id uuid,
    add column owner_address text,
    -- Marks (hashed addresses) of the channel's recipients that already got the alert from earlier attempts.
    add column reached text[] not null default '{}',
    add column recipient_id uuid not null
      generated always as (coalesce(channel_id, subscription_id, owner_id)) stored,
    add unique (mail_id, owner_id),
    drop constraint delivery_check,
    add check (
      (channel_id is null) = (alert_id is null) and (subscription_id is null) = (message_id is null)
      and (owner_id is null) = (mail_id is null) and (owner_id is null) = (owner_address is null)
      and num_nonnulls(channel_id, subscription_id, owner_id) = 1
    );
  create index delivery_order on delivery (recipient_id, resource_id, position) include (id) where status = 'pending';
  `,
);
