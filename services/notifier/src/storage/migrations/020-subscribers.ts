import { protectByOrganization, sqlMigration } from '@tocsin/database';

/**
 * Adds the subscribers of status pages, and deliveries of notices to them. The recipient of a delivery is no longer a
 * generated column, because changing its expression would rewrite the table. Deliveries to subscribers are marked in
 * the table of heads, so that the claims of other deliveries do not read them.
 */
export const subscribers = sqlMigration(
  '020-subscribers',
  `
  create table subscribed_page (
    organization_id uuid not null,
    id uuid not null,
    name text not null,
    url text not null,
    locale text not null,
    -- Whether the page is public and its visitors may subscribe.
    takes_subscribers boolean not null default true,
    -- With the organization, so that no row of another organization can stand in the way.
    primary key (organization_id, id)
  );
  ${protectByOrganization('subscribed_page')}

  create table subscriber (
    -- Hash of the page and the address.
    id uuid primary key,
    organization_id uuid not null,
    status_page_id uuid not null,
    -- Address, sealed by the vault for the context 'subscriber/<id>'.
    sealed_address text not null,
    status text not null check (status in ('pending', 'confirmed')),
    -- Time at which a confirmation request is due; null if none is due.
    ask_at timestamptz,
    asked integer not null default 0,
    asked_at timestamptz,
    created_at timestamptz not null,
    confirmed_at timestamptz,
    foreign key (organization_id, status_page_id) references subscribed_page on delete cascade,
    check ((status = 'confirmed') = (confirmed_at is not null))
  );
  create index subscriber_by_page on subscriber (organization_id, status_page_id);
  create index subscriber_to_ask on subscriber (ask_at) where ask_at is not null;
  create index subscriber_unconfirmed on subscriber (created_at) where status = 'pending';
  ${protectByOrganization('subscriber')}

  create table page_notice (
    id uuid primary key,
    organization_id uuid not null,
    status_page_id uuid not null,
    -- Id of the timeline entry. A page has one notice for each entry, even if the event is redelivered.
    update_id uuid not null,
    content jsonb not null,
    occurred_at timestamptz not null,
    unique (organization_id, status_page_id, update_id),
    foreign key (organization_id, status_page_id) references subscribed_page on delete cascade
  );
  create index page_notice_by_time on page_notice (occurred_at);
  ${protectByOrganization('page_notice')}

  -- Number of emails to the subscribers of an organization's pages on a day in UTC.
  create table subscriber_mail_count (
    organization_id uuid not null,
    day timestamptz not null,
    mails integer not null,
    primary key (organization_id, day)
  );
  create index subscriber_mail_count_by_day on subscriber_mail_count (day);
  ${protectByOrganization('subscriber_mail_count')}

  alter table delivery
    add column page_notice_id uuid references page_notice on delete cascade,
    add column subscriber_id uuid references subscriber on delete cascade,
    alter column recipient_id drop expression,
    drop constraint delivery_check,
    -- The existing rows are valid. Not checking them keeps the lock on the table short.
    add constraint delivery_check check (
      (channel_id is null) = (alert_id is null) and (subscription_id is null) = (message_id is null)
      and (owner_id is null) = (mail_id is null) and (owner_id is null) = (owner_address is null)
      and (subscriber_id is null) = (page_notice_id is null)
      and num_nonnulls(channel_id, subscription_id, owner_id, subscriber_id) = 1
    ) not valid;
  create unique index delivery_by_subscriber on delivery (subscriber_id, page_notice_id) where subscriber_id is not null;
  create index delivery_by_page_notice on delivery (page_notice_id) where page_notice_id is not null;
  create index delivery_to_subscriber_ended on delivery (finished_at) where subscriber_id is not null;

  -- Sets the recipient for programs of older versions, which do not insert it.
  create function set_delivery_recipient() returns trigger language plpgsql as $$
  begin
    new.recipient_id := coalesce(new.channel_id, new.subscription_id, new.owner_id, new.subscriber_id);
    return new;
  end $$;
  create trigger delivery_has_recipient before insert on delivery for each row
    when (new.recipient_id is null) execute function set_delivery_recipient();

  alter table delivery_head add column to_subscriber boolean not null default false;
  drop index delivery_head_due;
  create index delivery_head_due on delivery_head (organization_id, to_subscriber, due_at);

  -- Like the function of migration 011. In addition, marks the heads of subscribers.
  create or replace function update_delivery_head() returns trigger language plpgsql as $$
  begin
    if tg_op = 'UPDATE' and old.status = 'pending' and new.status = 'pending' and old.order_id is distinct from new.order_id then
      delete from delivery_head where delivery_id = old.id;
      insert into delivery_head
      select recipient_id, resource_id, organization_id, id, attempts, greatest(next_attempt_at, leased_until),
        subscriber_id is not null
      from delivery
      where recipient_id = old.recipient_id and resource_id = old.resource_id and order_id is null and status = 'pending'
      order by position limit 1
      on conflict do nothing;
      insert into delivery_head values (new.recipient_id, coalesce(new.order_id, new.resource_id), new.organization_id,
        new.id, new.attempts, greatest(new.next_attempt_at, new.leased_until), new.subscriber_id is not null)
      on conflict do nothing;
    elsif tg_op <> 'DELETE' and new.status = 'pending' then
      if new.order_id is not null and (tg_op = 'INSERT' or old.status <> 'pending') then
        insert into delivery_head values (new.recipient_id, new.order_id, new.organization_id, new.id, new.attempts,
          new.next_attempt_at, new.subscriber_id is not null)
        on conflict do nothing;
      elsif tg_op = 'UPDATE' and old.status <> 'pending' then
        insert into delivery_head
        select recipient_id, resource_id, organization_id, id, attempts, next_attempt_at, subscriber_id is not null
        from delivery
        where recipient_id = new.recipient_id and resource_id = new.resource_id and order_id is null and status = 'pending'
        order by position limit 1
        on conflict (recipient_id, resource_id) do update
        set delivery_id = excluded.delivery_id, attempts = excluded.attempts, due_at = excluded.due_at;
      elsif tg_op = 'UPDATE' then
        update delivery_head set attempts = new.attempts, due_at = greatest(new.next_attempt_at, new.leased_until)
        where delivery_id = new.id;
      else
        insert into delivery_head
        values (new.recipient_id, new.resource_id, new.organization_id, new.id, new.attempts, new.next_attempt_at,
          new.subscriber_id is not null)
        on conflict (recipient_id, resource_id) do update set recipient_id = excluded.recipient_id;
      end if;
    elsif tg_op <> 'INSERT' and old.status = 'pending' then
      delete from delivery_head where delivery_id = old.id;
      if found and old.order_id is null then
        insert into delivery_head
        select recipient_id, resource_id, organization_id, id, attempts, greatest(next_attempt_at, leased_until),
          subscriber_id is not null
        from delivery
        where recipient_id = old.recipient_id and resource_id = old.resource_id and order_id is null and status = 'pending'
        order by position limit 1
        on conflict do nothing;
      end if;
    end if;
    return null;
  end $$;
  `,
);
