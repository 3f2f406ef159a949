import { protectByOrganization, sqlMigration } from '@tocsin/database';

/** Adds invitations to organizations. */
export const invitations = sqlMigration(
  '007-invitations',
  `
  create table invitation (
    id uuid primary key,
    organization_id uuid not null references organization,
    email text not null,
    role text not null check (role in ('owner', 'admin', 'member')),
    -- SHA-256 of the secret in the link. The secret is not stored.
    secret_hash bytea not null unique,
    -- Mail address of the user who sent the invitation.
    invited_by text not null,
    created_at timestamptz not null,
    expires_at timestamptz not null
  );
  create unique index invitation_email on invitation (organization_id, lower(email));
  create index invitation_expiry on invitation (expires_at);
  ${protectByOrganization('invitation')}
  `,
);
