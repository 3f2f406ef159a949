import { sqlMigration } from '@tocsin/database';

/**
 * Adds passwords and attempt counts. Adds to the audit log the IP address and the credential with which each action was
 * requested. Row security does not protect passwords and counts, because they are read before an organization is known.
 */
export const passwords = sqlMigration(
  '005-passwords',
  `
  create table user_password (
    user_id uuid primary key references app_user on delete cascade,
    -- Argon2id in the PHC string format.
    hash text not null,
    changed_at timestamptz not null
  );

  create table attempt_count (
    kind text not null,
    -- SHA-256 of the email address, network or user id that is counted.
    subject bytea not null,
    started_at timestamptz not null,
    attempts integer not null,
    primary key (kind, subject)
  );
  create index attempt_count_age on attempt_count (started_at);

  alter table audit_log
    -- Address from which the action was requested. Null if unknown.
    add column address text,
    -- Id of the API key, access token or session with which the action was requested. Null if unknown.
    add column credential_id uuid;
  `,
);
