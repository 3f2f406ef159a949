import { protectByOrganization, sqlMigration } from '@tocsin/database';

/** Adds the status of email recipients, and the number of emails sent. */
export const mailRecipients = sqlMigration(
  '012-mail-recipients',
  `
  create table mail_recipient (
    organization_id uuid not null,
    -- Hash of the organization and the address.
    mark text not null,
    -- Address for the confirmation request, sealed by the vault for the context 'recipient/<organization>/<mark>'.
    sealed_address text not null,
    status text not null check (status in ('pending', 'confirmed', 'unsubscribed')),
    -- Why the mail server refused the last email.
    refusal text,
    -- Time at which a confirmation request is due; null if none is due.
    ask_at timestamptz,
    asked integer not null default 0,
    asked_at timestamptz,
    primary key (organization_id, mark)
  );
  create index mail_recipient_to_ask on mail_recipient (ask_at) where ask_at is not null;
  ${protectByOrganization('mail_recipient')}

  -- Number of emails of an organization within an hour. The column counted contains a recipient's mark, or a name for
  -- several recipients.
  create table mail_count (
    organization_id uuid not null,
    counted text not null,
    hour timestamptz not null,
    mails integer not null,
    primary key (organization_id, counted, hour)
  );
  create index mail_count_by_hour on mail_count (hour);
  ${protectByOrganization('mail_count')}
  `,
);
