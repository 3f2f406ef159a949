import { protectByOrganization, sqlMigration } from '@tocsin/database';

/**
 * Adds sign-in by an organization's own OpenID Connect provider. Row-level security does not apply to sign-in attempts
 * (provider_attempt), because the service reads them before it knows the organization.
 */
export const organizationSignIn = sqlMigration(
  '016-organization-sign-in',
  `
  create table organization_provider (
    organization_id uuid primary key references organization,
    issuer text not null,
    client_id text not null,
    -- Sealed by the vault for the context 'oidc/<organization_id>'.
    sealed_client_secret text not null,
    -- Claim with the role of a user. Null if roles are not taken from the provider.
    role_claim text,
    updated_at timestamptz not null
  );
  ${protectByOrganization('organization_provider')}

  create table organization_domain (
    id uuid primary key,
    organization_id uuid not null references organization,
    -- Domain of mail addresses, in lowercase.
    domain text not null,
    -- Value of the TXT record that proves that the organization controls the domain.
    proof text not null,
    -- Time at which the record was found last. Null if it was not found.
    proven_at timestamptz,
    unique (organization_id, domain)
  );
  create unique index organization_domain_proven on organization_domain (domain) where proven_at is not null;
  ${protectByOrganization('organization_domain')}

  -- Users by the subject that a provider of an organization knows.
  create table provider_subject (
    organization_id uuid not null references organization,
    issuer text not null,
    subject text not null,
    user_id uuid not null references app_user on delete cascade,
    primary key (organization_id, issuer, subject)
  );
  create index provider_subject_user on provider_subject (user_id);
  ${protectByOrganization('provider_subject')}

  create table provider_attempt (
    -- SHA-256 of the state, which the browser's cookie stores as well.
    state_hash bytea primary key,
    organization_id uuid not null references organization on delete cascade,
    -- JSON with the nonce, the verifier of PKCE and the next path, sealed by the vault for the context 'oidc-attempt'.
    sealed text not null,
    expires_at timestamptz not null
  );
  create index provider_attempt_expiry on provider_attempt (expires_at);
  `,
);
