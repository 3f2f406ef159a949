import { protectByOrganization, sqlMigration } from '@tocsin/database';

/** Adds credentials of programs that call services directly. */
export const serviceCredentials = sqlMigration(
  '009-service-credentials',
  `
  create table service_credential (
    id uuid primary key,
    -- Null for a credential that may act in every organization. Row security hides it from all organizations.
    organization_id uuid references organization,
    name text not null,
    -- SHA-256 of the secret. The secret is not stored.
    secret_hash bytea not null unique,
    permissions text[] not null,
    -- Names of the services for which its tokens may be valid.
    audiences text[] not null,
    token_seconds integer not null,
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz,
    created_at timestamptz not null,
    created_by text not null
  );
  create index service_credential_organization on service_credential (organization_id, id);
  ${protectByOrganization('service_credential')}
  `,
);
