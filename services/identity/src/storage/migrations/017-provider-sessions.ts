import { sqlMigration } from '@tocsin/database';

/**
 * Adds columns to sessions for the data about a sign-in at a provider, and a column to providers for whether members of
 * the organization must sign in there.
 */
export const providerSessions = sqlMigration(
  '017-provider-sessions',
  `
  -- Time at which the user proved the identity. Null if it is not known, because a provider did not say it.
  alter table session add column proved_at timestamptz;
  update session set proved_at = created_at;
  -- Organization at whose provider the user signed in. Null for other sessions.
  alter table session add column provider_organization_id uuid references organization on delete set null;
  -- What a sign-in at a provider changes as soon as the code was entered: JSON with organizationId, issuer, subject,
  -- isNew and role.
  alter table session add column provider_change jsonb;
  -- Whether a session that awaits a code accepts recovery codes only.
  alter table session add column recovery_only boolean not null default false;

  -- Whether members with an address in a proven domain can sign in only at the provider.
  alter table organization_provider add column enforced boolean not null default false;

  -- Whether the operator created the link, which then works although the provider is enforced.
  alter table sign_in_link add column by_operator boolean not null default false;
  `,
);
