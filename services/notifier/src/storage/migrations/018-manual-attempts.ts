import { protectByOrganization, sqlMigration } from '@tocsin/database';

/** Adds a table that counts the tests and redeliveries that people request. */
export const manualAttempts = sqlMigration(
  '018-manual-attempts',
  `
  -- Number of tests and redeliveries within an hour. The column counted contains the id of a channel or subscription,
  -- or the id of the organization for all of its channels and subscriptions.
  create table manual_attempt_count (
    organization_id uuid not null,
    counted uuid not null,
    hour timestamptz not null,
    attempts integer not null,
    primary key (organization_id, counted, hour)
  );
  create index manual_attempt_count_by_hour on manual_attempt_count (hour);
  ${protectByOrganization('manual_attempt_count')}
  `,
);
