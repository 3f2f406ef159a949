import { sqlMigration } from '@tocsin/database';

/** Moves the results of checks from the text of an automatic disruption's first entry to a separate column. */
export const explanations = sqlMigration(
  '005-explanations',
  `
  alter table disruption_update
    add explanation text,
    -- Whether the system wrote the entry after an event of a monitor. Existing entries count as written by people, so
    -- that their texts are shown unchanged.
    add automatic boolean not null default false;
  set local tocsin.every_organization = 'on';
  update disruption_update u
  set body = split_part(u.body, E'\\n\\nWhat was seen: ', 1),
      explanation = substr(u.body, strpos(u.body, E'\\n\\nWhat was seen: ') + length(E'\\n\\nWhat was seen: '))
  from disruption d
  where d.id = u.disruption_id and d.auto_created and strpos(u.body, E'\\n\\nWhat was seen: ') > 0
    and u.id = (select f.id from disruption_update f where f.disruption_id = d.id order by f.posted_at, f.id limit 1)`,
);
