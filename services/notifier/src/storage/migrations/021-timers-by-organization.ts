import { sqlMigration } from '@tocsin/database';

/** Replaces the index of due timers by one with which timers are read from organizations in turn. */
export const timersByOrganization = sqlMigration(
  '021-timers-by-organization',
  `
  create index outage_timer_due_by_organization on outage_timer (organization_id, due_at);
  drop index outage_timer_due;
  `,
);
