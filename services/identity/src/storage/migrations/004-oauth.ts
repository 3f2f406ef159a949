import { protectByOrganization, sqlMigration } from '@tocsin/database';

/**
 * Adds the clients, grants, tokens and codes of OAuth. Row security protects grants, which belong to one organization.
 * It does not protect tokens and codes, because they are looked up before the organization is known. It also does not
 * protect clients, which belong to the whole installation.
 */
export const oauth = sqlMigration(
  '004-oauth',
  `
  -- Clients that registered themselves (RFC 7591).
  create table oauth_client (
    id text primary key,
    -- Client metadata as JSON. Clients have no secret.
    metadata text not null,
    created_at timestamptz not null,
    -- Null until a user grants the client access for the first time.
    used_at timestamptz
  );
  create index oauth_client_unused on oauth_client (created_at) where used_at is null;
  create index oauth_client_used on oauth_client (used_at) where used_at is not null;

  -- Access of a client to an organization in the name of a user. The id identifies the credential of its tokens.
  create table oauth_grant (
    id uuid primary key,
    organization_id uuid not null references organization,
    user_id uuid not null references app_user on delete cascade,
    client_id text not null,
    client_name text not null,
    scopes text[] not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    last_used_at timestamptz,
    revoked_at timestamptz
  );
  create index oauth_grant_organization on oauth_grant (organization_id);
  create index oauth_grant_user on oauth_grant (user_id, created_at);
  create index oauth_grant_client on oauth_grant (client_id);
  ${protectByOrganization('oauth_grant')}

  create table oauth_artifact (
    -- Name in oidc-provider: AccessToken, RefreshToken, AuthorizationCode, DeviceCode or Interaction.
    kind text not null,
    -- SHA-256 of the token, the code or the interaction's id. The value itself is not stored, nor is it in the payload.
    id_hash bytea not null,
    -- Null for interactions, and for device codes until a user grants access.
    grant_id uuid references oauth_grant on delete cascade,
    -- User of an interaction.
    user_id uuid references app_user on delete cascade,
    -- SHA-256 of the code that the user of a device enters.
    user_code_hash bytea,
    -- JSON without the time of expiry.
    payload text not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    consumed_at timestamptz,
    -- Last request for the tokens of a device code, and the seconds until the next one is allowed (RFC 8628 section 3.5).
    polled_at timestamptz,
    poll_interval_seconds integer not null default 5,
    primary key (kind, id_hash)
  );
  create index oauth_artifact_grant on oauth_artifact (grant_id, kind, created_at) where grant_id is not null;
  create index oauth_artifact_user on oauth_artifact (user_id, created_at) where user_id is not null;
  create unique index oauth_artifact_user_code on oauth_artifact (user_code_hash) where user_code_hash is not null;
  create index oauth_artifact_expiry on oauth_artifact (expires_at);
  `,
);
