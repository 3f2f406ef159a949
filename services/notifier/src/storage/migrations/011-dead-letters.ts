import { sqlMigration } from '@tocsin/database';

/**
 * Lets a refused message be retried without delaying later messages. Adds the reason why the system disabled a
 * subscription, and the previous secret of a subscription.
 */
export const deadLetters = sqlMigration(
  '011-dead-letters',
  `
  alter table subscription
    add column disabled_at timestamptz,
    add column disabled_reason text,
    add column previous_sealed_secret text,
    add column previous_secret_until timestamptz;
  -- Beginning of the response's body.
  alter table delivery_attempt add column response text;

  -- Deliveries with the same order_id are sent one after the other. The column is null if the delivery follows the
  -- order of its resource. It contains the delivery's own id if later deliveries no longer wait for this one.
  alter table delivery add column order_id uuid;

  create or replace function update_delivery_head() returns trigger language plpgsql as $$
  begin
    if tg_op = 'UPDATE' and old.status = 'pending' and new.status = 'pending' and old.order_id is distinct from new.order_id then
      delete from delivery_head where delivery_id = old.id;
      insert into delivery_head
      select recipient_id, resource_id, organization_id, id, attempts, greatest(next_attempt_at, leased_until)
      from delivery
      where recipient_id = old.recipient_id and resource_id = old.resource_id and order_id is null and status = 'pending'
      order by position limit 1
      on conflict do nothing;
      insert into delivery_head values (new.recipient_id, coalesce(new.order_id, new.resource_id), new.organization_id,
        new.id, new.attempts, greatest(new.next_attempt_at, new.leased_until))
      on conflict do nothing;
    elsif tg_op <> 'DELETE' and new.status = 'pending' then
      if new.order_id is not null and (tg_op = 'INSERT' or old.status <> 'pending') then
        insert into delivery_head values (new.recipient_id, new.order_id, new.organization_id, new.id, new.attempts,
          new.next_attempt_at)
        on conflict do nothing;
      elsif tg_op = 'UPDATE' and old.status <> 'pending' then
        insert into delivery_head
        select recipient_id, resource_id, organization_id, id, attempts, next_attempt_at from delivery
        where recipient_id = new.recipient_id and resource_id = new.resource_id and order_id is null and status = 'pending'
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
      if found and old.order_id is null then
        insert into delivery_head
        select recipient_id, resource_id, organization_id, id, attempts, greatest(next_attempt_at, leased_until)
        from delivery
        where recipient_id = old.recipient_id and resource_id = old.resource_id and order_id is null and status = 'pending'
        order by position limit 1
        on conflict do nothing;
      end if;
    end if;
    return null;
  end $$;

  drop trigger delivery_head_follows on delivery;
  create trigger delivery_head_follows
    after insert or delete or update of status, attempts, next_attempt_at, leased_until, order_id
    on delivery for each row execute function update_delivery_head();
  `,
);
