import { protectByOrganization, sqlMigration } from '@tocsin/database';

/**
 * Adds the tables of identity. Row security protects the tables whose rows belong to one organization. It does not
 * protect organizations and users, because they are read before the organization is known, and a user may belong to
 * several organizations. It also does not protect signing keys, which belong to the whole installation.
 */
export const tables = sqlMigration(
  '001-tables',
  `
  create table organization (
    id uuid primary key,
    account_number bigint generated always as identity unique,
    name text not null,
    created_at timestamptz not null
  );

  create table app_user (
    id uuid primary key,
    email text not null,
    created_at timestamptz not null
  );
  create unique index app_user_email on app_user (lower(email));

  create table membership (
    organization_id uuid not null references organization,
    user_id uuid not null references app_user,
    role text not null check (role in ('owner', 'member')),
    created_at timestamptz not null,
    primary key (organization_id, user_id)
  );
  create index membership_user on membership (user_id);
  ${protectByOrganization('membership')}

  create table api_key (
    id uuid primary key,
    organization_id uuid not null references organization,
    user_id uuid not null references app_user,
    name text not null,
    -- SHA-256 of the key. The key is not stored.
    secret_hash bytea not null unique,
    permissions text[] not null,
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz,
    created_at timestamptz not null
  );
  create index api_key_organization on api_key (organization_id);
  ${protectByOrganization('api_key')}

  create table signing_key (
    -- Key id (kid) in tokens.
    id uuid primary key,
    public_jwk text not null,
    -- Private key as JWK, sealed by the vault for the context 'signing-key/<id>'.
    sealed_private_jwk text not null,
    created_at timestamptz not null
  );

  create table audit_log (
    id uuid primary key,
    organization_id uuid not null references organization,
    actor text not null,
    action text not null,
    target_id uuid not null,
    details text not null,
    occurred_at timestamptz not null
  );
  create index audit_log_organization on audit_log (organization_id, occurred_at);
  ${protectByOrganization('audit_log')}`,
);
