import { sqlMigration } from '@tocsin/database';

/**
 * Adds sessions, sign-in links and the role `admin`. Row security does not protect sessions and links: they belong to a
 * user, not to an organization, and are read before the organization is known.
 */
export const signIn = sqlMigration(
  '003-sign-in',
  `
  alter table membership drop constraint membership_role_check;
  alter table membership add constraint membership_role_check check (role in ('owner', 'admin', 'member'));

  create table session (
    id uuid primary key,
    user_id uuid not null references app_user on delete cascade,
    -- SHA-256 of the secret in the browser's cookie. The secret is not stored.
    secret_hash bytea not null unique,
    address text not null,
    user_agent text not null,
    created_at timestamptz not null,
    last_used_at timestamptz not null,
    expires_at timestamptz not null
  );
  create index session_of_user on session (user_id, last_used_at);
  create index session_expiry on session (expires_at);

  create table sign_in_link (
    id uuid primary key,
    user_id uuid not null references app_user on delete cascade,
    -- SHA-256 of the secret in the link. The secret is not stored.
    secret_hash bytea not null unique,
    created_at timestamptz not null,
    expires_at timestamptz not null
  );
  create index sign_in_link_user on sign_in_link (user_id, created_at);
  create index sign_in_link_expiry on sign_in_link (expires_at);
  `,
);
