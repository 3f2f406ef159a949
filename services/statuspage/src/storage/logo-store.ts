import type { Transaction } from '@tocsin/database';
import type { Logo, LogoFormat, LogoVariant, PageLogos } from '../domain/logo.ts';
import type { StatusPage } from '../domain/page.ts';
import type { PageKey } from './structure-store.ts';
import type { Tables } from './tables.ts';

/** A logo that a page should have. */
export interface WantedLogo extends PageKey {
  readonly variant: LogoVariant;
  readonly url: string;
}

/** An image that was fetched. */
export interface LogoImage extends Logo {
  readonly content: Buffer;
}

/** Stores which logos a page should have. A logo with a new URL has no image, and is due to be fetched. */
export async function saveWantedLogos(tx: Transaction, page: StatusPage, now: Date): Promise<void> {
  const wanted = [
    ['light', page.logoLightUrl],
    ['dark', page.logoDarkUrl],
  ].filter(([, url]) => url !== undefined);
  const values = [page.organizationId, page.id, wanted.map(([variant]) => variant), wanted.map(([, url]) => url)];
  await tx.query(
    `delete from page_logo where organization_id = $1 and status_page_id = $2
       and (variant, url) not in (select * from unnest($3::text[], $4::text[]))`,
    values,
  );
  await tx.query(
    `insert into page_logo (organization_id, status_page_id, variant, url, fetch_at)
     select $1, $2, *, $5::timestamptz from unnest($3::text[], $4::text[]) on conflict do nothing`,
    [...values, now],
  );
}

/** SQL expression for the time at which a logo is due. */
export const LOGO_DUE = '(select min(fetch_at) from page_logo)';

/**
 * Claims logos that are due. Postpones their next fetch, so that no other replica fetches them now. Needs a transaction
 * across organizations.
 */
export async function claimDueLogos(
  tx: Transaction,
  { now, next, limit }: { now: Date; next: Date; limit: number },
): Promise<WantedLogo[]> {
  const rows = await tx.query<
    Pick<Tables['page_logo'], 'organization_id' | 'status_page_id' | 'url'> & { variant: LogoVariant }
  >(
    `update page_logo set fetch_at = $2 where (status_page_id, variant) in (
       select status_page_id, variant from page_logo where fetch_at <= $1
       order by fetch_at limit $3 for update skip locked)
     returning organization_id, status_page_id, variant, url`,
    [now, next, limit],
  );
  return rows.map(({ organization_id, status_page_id, variant, url }) => ({
    organizationId: organization_id,
    pageId: status_page_id,
    variant,
    url,
  }));
}

/** Counts an organization's logo fetch in the current minute. Returns false if the maximum number is reached. */
export async function countLogoFetch(
  tx: Transaction,
  organizationId: string,
  { now, max }: { now: Date; max: number },
): Promise<boolean> {
  const counted = await tx.query(
    `insert into logo_fetches as counted values ($1, date_trunc('minute', $2::timestamptz), 1)
     on conflict (organization_id) do update
       set minute = excluded.minute,
           fetches = case when counted.minute = excluded.minute then counted.fetches + 1 else 1 end
       where counted.minute <> excluded.minute or counted.fetches < $3
     returning 1`,
    [organizationId, now, max],
  );
  return counted.length > 0;
}

/** Postpones the next fetch of a logo. */
export async function postponeLogo(tx: Transaction, logo: WantedLogo, fetchAt: Date): Promise<void> {
  await tx.query(`update page_logo set fetch_at = $5 where ${SAME}`, [...keyOf(logo), fetchAt]);
}

/** Saves a fetched image. Returns whether it differs from the stored one. Saves nothing if the URL was changed. */
export async function saveLogo(
  tx: Transaction,
  logo: WantedLogo,
  { content, hash, format }: LogoImage,
  fetchAt: Date,
): Promise<boolean> {
  const key = keyOf(logo);
  const changed = await tx.query(
    `update page_logo set content = $5, hash = $6, format = $7 where ${SAME} and hash is distinct from $6 returning 1`,
    [...key, content, hash, format],
  );
  await tx.query(`update page_logo set fetch_at = $5, failures = 0, error = null where ${SAME}`, [...key, fetchAt]);
  return changed.length > 0;
}

/**
 * Records that a logo could not be fetched. The stored image stays. `pause` returns the milliseconds until the next
 * fetch.
 */
export async function saveLogoError(
  tx: Transaction,
  logo: WantedLogo,
  { error, now, pause }: { error: string; now: Date; pause: (failures: number) => number },
): Promise<void> {
  const [row] = await tx.query<Pick<Tables['page_logo'], 'failures'>>(
    `update page_logo set failures = failures + 1, error = $5 where ${SAME} returning failures`,
    [...keyOf(logo), error],
  );
  if (row) await postponeLogo(tx, logo, new Date(now.getTime() + pause(row.failures)));
}

const SAME = 'organization_id = $1 and status_page_id = $2 and variant = $3 and url = $4';

function keyOf({ organizationId, pageId, variant, url }: WantedLogo): string[] {
  return [organizationId, pageId, variant, url];
}

/** Returns the stored logos of a page. */
export async function findPageLogos(tx: Transaction, { organizationId, pageId }: PageKey): Promise<PageLogos> {
  const rows = await tx.query<{ variant: LogoVariant; hash: string; format: LogoFormat }>(
    `select variant, hash, format from page_logo
     where organization_id = $1 and status_page_id = $2 and content is not null`,
    [organizationId, pageId],
  );
  return Object.fromEntries(rows.map(({ variant, hash, format }) => [variant, { hash, format }]));
}

/** Returns the image of a page's logo; undefined if the page has no such logo. */
export async function findLogoImage(
  tx: Transaction,
  { organizationId, pageId }: PageKey,
  { hash, format }: Logo,
): Promise<Buffer | undefined> {
  const [row] = await tx.query<{ content: Buffer }>(
    `select content from page_logo
     where organization_id = $1 and status_page_id = $2 and hash = $3 and format = $4 limit 1`,
    [organizationId, pageId, hash, format],
  );
  return row?.content;
}

/**
 * Returns why a logo of a page could not be fetched, prefixed with the name of the logo's URL field; undefined if no
 * fetch failed.
 */
export async function findLogoError(tx: Transaction, { organizationId, pageId }: PageKey): Promise<string | undefined> {
  const [row] = await tx.query<Pick<Tables['page_logo'], 'variant' | 'error'>>(
    `select variant, error from page_logo
     where organization_id = $1 and status_page_id = $2 and error is not null order by variant desc limit 1`,
    [organizationId, pageId],
  );
  return row && `logo_${row.variant}_url: ${row.error}`;
}
