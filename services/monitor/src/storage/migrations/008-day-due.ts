import { protectByOrganization, sqlMigration } from '@tocsin/database';

export const dayDue = sqlMigration(
  '008-day-due',
  `
  -- Days of monitors whose changed counts are to be published.
  create table day_due (
    monitor_id uuid not null references monitor on delete cascade,
    day timestamptz not null,
    organization_id uuid not null,
    primary key (monitor_id, day)
  );
  ${protectByOrganization('day_due')}
  `,
);
