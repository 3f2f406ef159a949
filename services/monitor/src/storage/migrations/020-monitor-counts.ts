import { protectByOrganization, sqlMigration } from '@tocsin/database';

/** Counts the monitors of each organization, so that a check of its limit does not have to read all of them. */
export const monitorCounts = sqlMigration(
  '020-monitor-counts',
  `
  -- The number of an organization's monitors is the sum over its slots. Each connection changes one slot, so that
  -- concurrent transactions of an organization rarely wait for each other. A slot is negative if its connections deleted
  -- more monitors than they created.
  create table monitor_count (
    organization_id uuid not null,
    slot smallint not null,
    monitors integer not null,
    primary key (organization_id, slot)
  ) with (fillfactor = 50);
  ${protectByOrganization('monitor_count')}

  -- Runs as the owner of the tables, because the role of a service that runs during the upgrade has no right to the new
  -- table yet.
  create function count_monitors() returns trigger
  language plpgsql security definer set search_path from current as $$
  begin
    insert into monitor_count as c (organization_id, slot, monitors)
    select organization_id, pg_backend_pid() % 64, case tg_op when 'INSERT' then count(*) else -count(*) end
    from changed group by organization_id order by organization_id
    on conflict (organization_id, slot) do update set monitors = c.monitors + excluded.monitors;
    return null;
  end $$;

  -- The triggers are created before the monitors are counted, because that waits for the end of all concurrent changes.
  create trigger monitor_inserted after insert on monitor referencing new table as changed
    for each statement execute function count_monitors();
  create trigger monitor_deleted after delete on monitor referencing old table as changed
    for each statement execute function count_monitors();

  select set_config('tocsin.every_organization', 'on', true);
  insert into monitor_count select organization_id, 0, count(*) from monitor group by organization_id;
  `,
);
