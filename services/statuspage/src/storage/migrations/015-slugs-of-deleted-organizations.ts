import { sqlMigration } from '@tocsin/database';

/**
 * Stores the slugs of deleted organizations, because CNAMEs of their custom domains may still contain them. Until its
 * reservation expires, no organization may use such a slug.
 */
export const slugsOfDeletedOrganizations = sqlMigration(
  '015-slugs-of-deleted-organizations',
  `
  -- Has no organization, because no other data of a deleted organization is stored.
  create table orphaned_slug (
    slug text primary key,
    expires_at timestamptz not null
  );
  create index orphaned_slug_by_expires_at on orphaned_slug (expires_at);
  `,
);
