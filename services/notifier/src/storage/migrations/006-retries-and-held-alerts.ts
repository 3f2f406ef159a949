import { protectByOrganization, sqlMigration } from '@tocsin/database';

/** Supports 24 hours of retries for each alert, paused channels, and broken channels that hold their alerts. */
export const retriesAndHeldAlerts = sqlMigration(
  '006-retries-and-held-alerts',
  `
  -- Time of the first failed attempt since the last successful one.
  alter table channel add column failing_since timestamptz;

  alter table delivery
    drop constraint delivery_status_check,
    add constraint delivery_status_check check (status in ('pending', 'sent', 'failed', 'dropped', 'held'));
  create index delivery_held on delivery (channel_id) where status = 'held';

  create table paused_recipient (
    recipient_id uuid primary key,
    organization_id uuid not null,
    -- Time before which nothing is sent to the recipient.
    until timestamptz not null
  );
  ${protectByOrganization('paused_recipient')}

  -- Like the function of migration 005. In addition, if a delivery becomes pending again, the oldest pending one
  -- becomes the head.
  create or replace function update_delivery_head() returns trigger language plpgsql as $$
  begin
    if tg_op <> 'DELETE' and new.status = 'pending' then
      if tg_op = 'UPDATE' and old.status <> 'pending' then
        insert into delivery_head
        select recipient_id, resource_id, organization_id, id, attempts, next_attempt_at from delivery
        where recipient_id = new.recipient_id and resource_id = new.resource_id and status = 'pending'
        order by position limit 1
        on conflict (recipient_id, resource_id) do update
        set delivery_id = excluded.delivery_id, attempts = excluded.attempts, due_at = excluded.due_at;
      elsif tg_op = 'UPDATE' then
        update delivery_head set attempts = new.attempts, due_at = greatest(new.next_attempt_at, new.leased_until)
        where delivery_id = new.id;
      else
        insert into delivery_head
        values (new.recipient_id, new.resource_id, new.organization_id, new.id, new.attempts, new.next_attempt_at)
        on conflict (recipient_id, resource_id) do update set recipient_id = excluded.recipient_id;
      end if;
    elsif tg_op <> 'INSERT' and old.status = 'pending' then
      delete from delivery_head where delivery_id = old.id;
      if found then
        insert into delivery_head
        select recipient_id, resource_id, organization_id, id, attempts, greatest(next_attempt_at, leased_until)
        from delivery
        where recipient_id = old.recipient_id and resource_id = old.resource_id and status = 'pending'
        order by position limit 1
        on conflict do nothing;
      end if;
    end if;
    return null;
  end $$;
  `,
);
