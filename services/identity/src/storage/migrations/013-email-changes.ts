import { sqlMigration } from '@tocsin/database';

/**
 * Adds changes of email addresses. Row security does not protect them, because each change belongs to a user, not to an
 * organization, and is read before an organization is known.
 */
export const emailChanges = sqlMigration(
  '013-email-changes',
  `
  create table email_change (
    id uuid primary key,
    user_id uuid not null references app_user on delete cascade,
    old_email text not null,
    new_email text not null,
    -- SHA-256 of the secret in the link that confirms the new address. The secret is not stored.
    confirm_hash bytea not null unique,
    created_at timestamptz not null,
    -- Null until the user has confirmed the new address.
    confirmed_at timestamptz,
    -- SHA-256 of the secret in the link that undoes the change. Null until the change.
    undo_hash bytea unique,
    -- End of the link that confirms the change, and later of the one that undoes it.
    expires_at timestamptz not null
  );
  create index email_change_user on email_change (user_id, created_at);
  create index email_change_expiry on email_change (expires_at);
  `,
);
