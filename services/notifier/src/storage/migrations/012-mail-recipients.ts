import { protectByOrganization, sqlMigration } from '@tocsin/database';

/** Records which recipients of email channels confirmed, and the number of emails sent. */
export const mailRecipients = sqlMigration(
  '012-mail-recipients',
  `
  create table mail_recipient (
    organization_id uuid not null,
    -- A hash of the organization and the address.
    mark text not null,
    -- Sealed by the vault for the context 'recipient/<organization>/<mark>', to ask it to confirm.
    sealed_address text not null,
    status text not null check (status in ('pending', 'confirmed', 'unsubscribed')),
    -- Why the mail server refused the last mail.
    refusal text,
    -- When a mail that asks to confirm is due; null when none is.
    ask_at timestamptz,
    asked integer not null default 0,
    asked_at timestamptz,
    primary key (organization_id, mark)
  );
  create index mail_recipient_to_ask on mail_recipient (ask_at) where ask_at is not null;
  ${protectByOrganization('mail_recipient')}

  -- Mails of an organization within an hour: to one recipient, or under a name that stands for many.
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
