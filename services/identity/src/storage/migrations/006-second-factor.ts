import { sqlMigration } from '@tocsin/database';

/**
 * Adds tables for the second factors of users. Row security does not protect these tables, because each row belongs to
 * a user, not to an organization, and is read before an organization is known.
 */
export const secondFactor = sqlMigration(
  '006-second-factor',
  `
  create table user_totp (
    user_id uuid primary key references app_user on delete cascade,
    -- Secret of the authenticator app, sealed by the vault for the context 'totp/<user_id>'.
    sealed_secret text not null,
    created_at timestamptz not null,
    -- Time at which the user entered the first code. Null while the second factor is being set up.
    enabled_at timestamptz,
    -- Time step of the last accepted code (RFC 6238). Codes of this step and earlier ones are refused.
    last_step bigint not null
  );

  create table recovery_code (
    user_id uuid not null references user_totp on delete cascade,
    -- SHA-256 of the code. The code is not stored.
    code_hash bytea not null,
    primary key (user_id, code_hash)
  );

  -- Whether the code of the second factor is missing. Such a session gives access to nothing.
  alter table session add column awaits_code boolean not null default false;
  `,
);
