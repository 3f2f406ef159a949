import { protectByOrganization, sqlMigration } from '@tocsin/database';

/** Stores the logos of pages, so that they are served by this installation. The logos of existing pages are fetched. */
export const pageLogos = sqlMigration(
  '012-page-logos',
  `
  create table page_logo (
    status_page_id uuid not null references status_page on delete cascade,
    organization_id uuid not null,
    variant text not null check (variant in ('light', 'dark')),
    url text not null,
    -- Time at which the URL is fetched next.
    fetch_at timestamptz not null,
    failures integer not null default 0,
    -- Reason why the last fetch failed; null after a success.
    error text,
    -- Null until an image was fetched.
    content bytea,
    hash text,
    format text check (format in ('gif', 'jpeg', 'png', 'svg', 'webp')),
    primary key (status_page_id, variant),
    check (num_nulls(content, hash, format) in (0, 3))
  );
  create index page_logo_by_fetch_at on page_logo (fetch_at);
  ${protectByOrganization('page_logo')}

  insert into page_logo (status_page_id, organization_id, variant, url, fetch_at)
    select id, organization_id, variant, url, now()
    from status_page, lateral (values ('light', logo_light_url), ('dark', logo_dark_url)) as wanted (variant, url)
    where url is not null;

  create table logo_fetches (
    organization_id uuid primary key,
    -- Start of the minute in which the fetches are counted.
    minute timestamptz not null,
    fetches integer not null
  );
  ${protectByOrganization('logo_fetches')}`,
);
