import { sqlMigration } from '@tocsin/database';

/** Adds columns for the custom domains of pages. */
export const customDomains = sqlMigration(
  '003-custom-domains',
  `
  alter table status_page
    add domain text,
    add domain_status text check (domain_status in ('pending', 'active', 'failed')),
    add constraint status_page_domain_with_status check ((domain is null) = (domain_status is null)),
    -- Value that the owner sets in DNS. It stays the same when the page's domain changes.
    add domain_token text not null default replace(gen_random_uuid()::text, '-', '');
  -- Only one page is served at a domain, but several pages may wait for its verification.
  create unique index status_page_active_domain on status_page (domain) where domain_status = 'active'`,
);
