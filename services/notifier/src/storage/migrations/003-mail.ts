import { protectByOrganization, sqlMigration } from '@tocsin/database';

export const mail = sqlMigration(
  '003-mail',
  `
  alter table alert
    add column cert_expires_at timestamptz,
    add column cert_days_remaining integer check ((cert_expires_at is null) = (cert_days_remaining is null));

  create table owner_mail (
    id uuid primary key,
    -- Facts of one monitor are handled one after the other, so these grow with them.
    position bigint generated always as identity,
    organization_id uuid not null,
    event_id uuid not null,
    kind text not null,
    -- The monitor, channel or subscription; mails about one reach an owner in their order.
    resource_id uuid not null,
    -- What is sent, to the byte, however often.
    subject text not null,
    body_text text not null,
    body_html text not null,
    occurred_at timestamptz not null,
    -- When its owners were known, and a delivery for each was written.
    addressed_at timestamptz,
    -- However often a fact is told, it makes one mail.
    unique (organization_id, event_id)
  );
  create index owner_mail_unaddressed on owner_mail (organization_id, position) where addressed_at is null;
  create index owner_mail_by_time on owner_mail (occurred_at);
  ${protectByOrganization('owner_mail')}

  -- Which channels each monitor has, as its facts tell it, to know since when it has none.
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

  -- A delivery takes an alert to a channel, a message to a subscription, or a mail to an owner.
  alter table delivery drop column recipient_id;
  alter table delivery
    add column mail_id uuid references owner_mail on delete cascade,
    add column owner_id uuid,
    add column owner_address text,
    -- Marks of a channel's recipients who have it from an attempt before.
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
