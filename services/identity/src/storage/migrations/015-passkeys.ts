import { sqlMigration } from '@tocsin/database';

/**
 * Adds passkeys (WebAuthn) and the challenges that they sign. Row security does not protect these tables, because their
 * rows belong to a user and are read before an organization is known.
 */
export const passkeys = sqlMigration(
  '015-passkeys',
  `
  create table passkey (
    id uuid primary key,
    user_id uuid not null references app_user on delete cascade,
    -- Name that the user chose.
    name text not null,
    -- Credential id of the authenticator, in base64url.
    credential_id text not null unique,
    -- COSE public key.
    public_key bytea not null,
    -- Number of signatures that the authenticator reported last. Some authenticators always report 0.
    counter bigint not null,
    transports text[] not null,
    created_at timestamptz not null,
    last_used_at timestamptz
  );
  create index passkey_user on passkey (user_id, created_at);

  create table passkey_challenge (
    -- SHA-256 of the challenge. It is deleted when it is used.
    challenge_hash bytea primary key,
    -- User who adds a passkey. Null for signing in.
    user_id uuid references app_user on delete cascade,
    expires_at timestamptz not null
  );
  create index passkey_challenge_expiry on passkey_challenge (expires_at);
  `,
);
