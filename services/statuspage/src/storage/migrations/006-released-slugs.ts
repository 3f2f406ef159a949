import { protectByOrganization, sqlMigration } from '@tocsin/database';

/**
 * Stores slugs that pages no longer have, because bookmarks and the CNAMEs of custom domains may still contain them.
 * Until its reservation expires, such a slug leads to its former page, and only the page's organization may use it.
 * Existing active domains are verified again within the next week.
 */
export const releasedSlugs = sqlMigration(
  '006-released-slugs',
  `
  create table released_slug (
    slug text primary key,
    organization_id uuid not null,
    -- Page that had the slug; null after the page is deleted.
    status_page_id uuid references status_page on delete set null,
    expires_at timestamptz not null
  );
  create index released_slug_by_page on released_slug (status_page_id);
  create index released_slug_by_organization on released_slug (organization_id, expires_at desc);
  ${protectByOrganization('released_slug')}

  alter table status_page
    add domain_check_at timestamptz,
    -- Time since which DNS no longer proves an active domain.
    add domain_unproven_since timestamptz;
  update status_page set domain_check_at = now() + random() * interval '7 days' where domain_status = 'active';
  create index status_page_by_domain_check_at on status_page (domain_check_at) where domain_status = 'active'`,
);
