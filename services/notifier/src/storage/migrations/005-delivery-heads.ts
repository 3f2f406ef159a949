import { protectByOrganization, sqlMigration } from '@tocsin/database';

/**
 * Adds a table of delivery heads. The head of a resource and a recipient is their oldest unfinished delivery. A worker
 * that claims deliveries then reads only the heads. A trigger updates the table with every change to a delivery. Also
 * adds a table of the recipients whose last attempt timed out. Deliveries to these recipients are limited separately,
 * so that they do not delay other deliveries.
 */
export const deliveryHeads = sqlMigration(
  '005-delivery-heads',
  `
  create table delivery_head (
    recipient_id uuid not null,
    resource_id uuid not null,
    organization_id uuid not null,
    delivery_id uuid not null unique,
    attempts integer not null,
    -- Time at which the delivery may be claimed: the time of its next attempt, or the end of its lease.
    due_at timestamptz not null,
    primary key (recipient_id, resource_id)
  ) with (fillfactor = 70);
  create index delivery_head_due on delivery_head (organization_id, due_at);
  ${protectByOrganization('delivery_head')}

  create table slow_recipient (
    recipient_id uuid primary key,
    organization_id uuid not null,
    since timestamptz not null
  );
  ${protectByOrganization('slow_recipient')}

  create function update_delivery_head() returns trigger language plpgsql as $$
  begin
    if tg_op <> 'DELETE' and new.status = 'pending' then
      if tg_op = 'UPDATE' and old.status = 'pending' then
        update delivery_head set attempts = new.attempts, due_at = greatest(new.next_attempt_at, new.leased_until)
        where delivery_id = new.id;
      else
        -- The update locks the head. A concurrent transaction that removes the head then sees this delivery and makes
        -- it the next head.
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

  select set_config('tocsin.every_organization', 'on', true);
  insert into delivery_head
  select distinct on (recipient_id, resource_id)
    recipient_id, resource_id, organization_id, id, attempts, greatest(next_attempt_at, leased_until)
  from delivery where status = 'pending' order by recipient_id, resource_id, position;

  create trigger delivery_head_follows after insert or delete or update of status, attempts, next_attempt_at, leased_until
    on delivery for each row execute function update_delivery_head();
  `,
);
