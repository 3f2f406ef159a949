import { sqlMigration } from '@tocsin/database';

/** Replaces the index of due confirmation requests by one with which they are read from organizations in turn. */
export const requestsByOrganization = sqlMigration(
  '022-requests-by-organization',
  `
  create index mail_recipient_to_ask_by_organization on mail_recipient (organization_id, ask_at) where ask_at is not null;
  drop index mail_recipient_to_ask;
  `,
);
