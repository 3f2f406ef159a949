import { sqlMigration } from '@tocsin/database';

/** Adds custom domains of pages. */
export const customDomains = sqlMigration(
  '003-custom-domains',
  `
  alter table status_page
    add domain text,
    add domain_status text check (domain_status in ('pending', 'active', 'failed')),
    add constraint status_page_domain_with_status check ((domain is null) = (domain_status is null)),
    -- What the owner puts into DNS. It stays with the page, whatever its domain.
    add domain_token text not null default replace(gen_random_uuid()::text, '-', '');
  -- Only one page is served there; many may try to prove that the domain is theirs.
  create unique index status_page_active_domain on status_page (domain) where domain_status = 'active'`,
);
