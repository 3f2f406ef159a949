import type { Transaction } from '@tocsin/database';
import { invalid } from '@tocsin/errors';
import type { StatusPage } from '../domain/page.ts';
import type { Tables } from './tables.ts';

/** Days for which a released slug is reserved. */
export const RESERVED_DAYS = 90;

/** Maximum number of reserved slugs per organization. If it is exceeded, the oldest reservations are deleted. */
const MAX_RESERVED = 100;

/** Deletes the reservation of a slug if it has expired. Needs a transaction across organizations. */
export async function expireReleasedSlug(tx: Transaction, slug: string, now: Date): Promise<void> {
  await tx.query('delete from released_slug where slug = $1 and expires_at <= $2', [slug, now]);
}

/**
 * Reserves the slugs of an organization that is being deleted: those of its pages, and those that it has released.
 * Deletes earlier reservations that have expired. Needs a transaction across organizations.
 */
export async function orphanSlugs(tx: Transaction, organizationId: string, now: Date): Promise<void> {
  await tx.query('delete from orphaned_slug where expires_at <= $1', [now]);
  await tx.query(
    `insert into orphaned_slug (slug, expires_at)
     select slug, $2::timestamptz from status_page where organization_id = $1
     union all
     select slug, expires_at from released_slug where organization_id = $1 and expires_at > $3
     on conflict do nothing`,
    [organizationId, reservedUntil(now), now],
  );
}

function reservedUntil(now: Date): Date {
  return new Date(now.getTime() + RESERVED_DAYS * 24 * 3_600_000);
}

/**
 * Assigns a slug to a page of the organization, and ends the slug's reservation.
 * @throws ServiceError `invalid` if the slug is reserved for another organization, or was a deleted organization's.
 */
export async function claimSlug(tx: Transaction, organizationId: string, slug: string, now: Date): Promise<void> {
  const release = () =>
    tx.query('delete from released_slug where organization_id = $1 and slug = $2', [organizationId, slug]);
  await release();
  // Rows of other organizations are invisible here, but their keys cause a conflict.
  const inserted = await tx.query(
    `insert into released_slug (slug, organization_id, expires_at) values ($1, $2, $3)
     on conflict do nothing returning 1`,
    [slug, organizationId, now],
  );
  const orphaned = await tx.query('select from orphaned_slug where slug = $1 and expires_at > $2', [slug, now]);
  if (inserted.length === 0 || orphaned.length > 0) throw invalid({ slug: ['is taken'] });
  await release();
}

/** Reserves the former slug of a page for the page's organization. The slug continues to lead to the page `pageId`. */
export async function releaseSlug(
  tx: Transaction,
  { organizationId, slug }: Pick<StatusPage, 'organizationId' | 'slug'>,
  { pageId, now }: { pageId: string | null; now: Date },
): Promise<void> {
  const expiresAt = reservedUntil(now);
  await tx.query(
    'insert into released_slug (slug, organization_id, status_page_id, expires_at) values ($1, $2, $3, $4)',
    [slug, organizationId, pageId, expiresAt],
  );
  await tx.query(
    `delete from released_slug where organization_id = $1 and slug in (
       select slug from released_slug where organization_id = $1 order by expires_at desc, slug offset $2)`,
    [organizationId, MAX_RESERVED],
  );
}

/** Returns the current slug of the public page that had this slug before. Needs a transaction across organizations. */
export async function findRenamedPage(tx: Transaction, slug: string, now: Date): Promise<string | undefined> {
  const [row] = await tx.query<Pick<Tables['status_page'], 'slug'>>(
    `select page.slug from released_slug join status_page page on page.id = released_slug.status_page_id
     where released_slug.slug = $1 and released_slug.expires_at > $2 and page.enabled`,
    [slug, now],
  );
  return row?.slug;
}
