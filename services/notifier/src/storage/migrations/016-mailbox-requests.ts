import { sqlMigration } from '@tocsin/database';

/** Adds a table that counts the confirmation requests to each mailbox per day, across all organizations. */
export const mailboxRequests = sqlMigration(
  '016-mailbox-requests',
  `
  create table mailbox_request (
    -- Hash of the normalized address.
    mailbox text not null,
    -- Beginning of the day in UTC.
    day timestamptz not null,
    requests integer not null,
    primary key (mailbox, day)
  );
  create index mailbox_request_by_day on mailbox_request (day);
  `,
);
