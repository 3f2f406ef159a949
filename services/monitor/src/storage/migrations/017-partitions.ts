import { sqlMigration } from '@tocsin/database';

/**
 * Adds functions that create and drop the partition of a day. They run as the owner of the tables, because the role
 * with which the service runs may not create or drop tables. They accept only the tables that are partitioned by day.
 */
export const partitions = sqlMigration(
  '017-partitions',
  `
  create function day_partition(parent text, day date) returns text language plpgsql set search_path from current as $$
  begin
    if parent is null or parent not in ('check_result', 'result_hour') then
      raise exception '% is not partitioned by day', parent using errcode = 'invalid_parameter_value';
    end if;
    return format('%I.%I', current_schema(), parent || to_char(day, '_YYYYMMDD'));
  end $$;

  create function create_day_partition(parent text, day date) returns void
  language plpgsql security definer set search_path from current as $$
  begin
    execute format('create table %s partition of %I.%I for values from (%L) to (%L)', day_partition(parent, day),
      current_schema(), parent, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
  end $$;

  create function drop_day_partition(parent text, day date) returns void
  language plpgsql security definer set search_path from current as $$
  begin
    execute 'drop table ' || day_partition(parent, day);
  end $$;
  `,
);
