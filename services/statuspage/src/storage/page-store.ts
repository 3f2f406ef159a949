import { type LimitedRows, type Transaction, violatedConstraint } from '@tocsin/database';
import type { Locale, Theme } from '@tocsin/enums';
import { invalid, ServiceError } from '@tocsin/errors';
import { cutPart, type Paging, type Part } from '@tocsin/paging';
import type { CustomDomain } from '../domain/custom-domain.ts';
import type { StatusPage } from '../domain/page.ts';
import { StatusPageEntity, type StatusPageRow } from './schema.ts';
import type { PageKey } from './structure-store.ts';
import type { Tables } from './tables.ts';

/** Rows of pages that count against the organization's limit. */
export const PAGE_ROWS: LimitedRows = { limit: 'status_pages', table: 'status_page' };

/**
 * Inserts a page.
 * @throws ServiceError `invalid` if a page of any organization has the same slug.
 */
export async function insertPage(tx: Transaction, page: StatusPage): Promise<void> {
  await orTaken(tx.em.insert(StatusPageEntity, toRow(page)));
}

/**
 * Saves a page.
 * @throws ServiceError `invalid` if another page of any organization has the same slug; `conflict` if this page and
 * another page would both be active at the same domain.
 */
export async function savePage(tx: Transaction, page: StatusPage): Promise<void> {
  const { id, organizationId, ...row } = toRow(page);
  await orTaken(tx.em.nativeUpdate(StatusPageEntity, { id, organizationId }, row));
}

export async function findPage(tx: Transaction, organizationId: string, id: string): Promise<StatusPage | undefined> {
  const row = await tx.em.findOne(StatusPageEntity, { id, organizationId });
  return row ? toPage(row) : undefined;
}

const snake = (property: string) => property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The columns of a page, with the names of the row's properties. */
const ROW_COLUMNS = Object.keys(StatusPageEntity.meta.properties)
  .map((property) => `${snake(property)} as "${property}"`)
  .join(', ');

/**
 * Returns a page, and locks it and its structure until the transaction ends. The statement is sent before this function
 * returns, so that statements which follow it lock their rows later.
 */
export async function lockPage(tx: Transaction, organizationId: string, id: string): Promise<StatusPage | undefined> {
  const [row] = await tx.query<StatusPageRow>(
    `select ${ROW_COLUMNS} from status_page where id = $1 and organization_id = $2 for update`,
    [id, organizationId],
  );
  return row && toPage(row);
}

/** Returns the organization's pages, newest first. */
export async function listPages(tx: Transaction, organizationId: string, paging: Paging): Promise<Part<StatusPage>> {
  const { limit, before } = paging;
  const rows = await tx.em.find(
    StatusPageEntity,
    { organizationId, ...(before !== undefined && { id: { $lt: before } }) },
    { orderBy: { id: 'desc' }, limit: limit + 1 },
  );
  return cutPart(rows.map(toPage), paging);
}

/** Returns the public pages with these ids to which visitors may subscribe. */
export async function findSubscribablePages(
  tx: Transaction,
  organizationId: string,
  ids: readonly string[],
): Promise<StatusPage[]> {
  if (ids.length === 0) return [];
  const rows = await tx.em.find(
    StatusPageEntity,
    { organizationId, id: { $in: [...ids] }, enabled: true, subscribersEnabled: true },
    { orderBy: { id: 'asc' } },
  );
  return rows.map(toPage);
}

/** Returns the public page with a slug. Needs a transaction across organizations. */
export async function findPublicPage(tx: Transaction, slug: string): Promise<StatusPage | undefined> {
  const row = await tx.em.findOne(StatusPageEntity, { slug, enabled: true });
  return row ? toPage(row) : undefined;
}

/** Returns the public page at an active domain. Needs a transaction across organizations. */
export async function findPublicPageAt(tx: Transaction, domain: string): Promise<StatusPage | undefined> {
  const row = await tx.em.findOne(StatusPageEntity, { domain, domainStatus: 'active', enabled: true });
  return row ? toPage(row) : undefined;
}

/** Returns the slug of a public page; undefined if the page is not public. Needs a transaction across organizations. */
export async function findPublicSlug(tx: Transaction, id: string): Promise<string | undefined> {
  const [row] = await tx.query<Pick<Tables['status_page'], 'slug'>>(
    'select slug from status_page where id = $1 and enabled',
    [id],
  );
  return row?.slug;
}

/** Returns the ids and slugs of all public pages. Needs a transaction across organizations. */
export function listPublicPages(tx: Transaction): Promise<Pick<Tables['status_page'], 'id' | 'slug'>[]> {
  return tx.query('select id, slug from status_page where enabled order by id');
}

/** Returns whether a page is active at a domain. Needs a transaction across organizations. */
export async function isActiveDomain(tx: Transaction, domain: string): Promise<boolean> {
  return (await tx.em.count(StatusPageEntity, { domain, domainStatus: 'active' })) > 0;
}

/**
 * Claims active domains whose verification is due. Postpones their next verification, so that no other replica verifies
 * them now. Needs a transaction across organizations.
 */
export async function claimDueDomains(
  tx: Transaction,
  { now, next, limit }: { now: Date; next: Date; limit: number },
): Promise<PageKey[]> {
  const rows = await tx.query<Pick<Tables['status_page'], 'id' | 'organization_id'>>(
    `update status_page set domain_check_at = $2 where id in (
       select id from status_page where domain_status = 'active' and domain_check_at <= $1
       order by domain_check_at limit $3 for update skip locked)
     returning id, organization_id`,
    [now, next, limit],
  );
  return rows.map((row) => ({ organizationId: row.organization_id, pageId: row.id }));
}

/** Deletes a page with its groups, components and links. */
export async function deletePage(tx: Transaction, { organizationId, id }: StatusPage): Promise<void> {
  await tx.query('delete from status_page where organization_id = $1 and id = $2', [organizationId, id]);
}

/** Sets the time of the last change of pages, without waiting for the result. */
export function touchPages(tx: Transaction, organizationId: string, ids: readonly string[], now: Date): void {
  tx.send('update status_page set updated_at = $3 where organization_id = $1 and id = any($2)', [
    organizationId,
    ids,
    now,
  ]);
}

const DOMAIN_TAKEN = 'another page is served at this domain; take it away there first';

async function orTaken(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    const constraint = violatedConstraint(error);
    if (constraint === 'status_page_slug') throw invalid({ slug: ['is taken'] });
    if (constraint === 'status_page_active_domain') throw new ServiceError('conflict', DOMAIN_TAKEN);
    throw error;
  }
}

function toRow({ domain, ...page }: StatusPage): StatusPageRow {
  return {
    ...page,
    domain: domain?.name ?? null,
    domainStatus: domain?.status ?? null,
    domainCheckAt: domain?.checkAt ?? null,
    domainUnprovenSince: domain?.unprovenSince ?? null,
    description: page.description ?? null,
    primaryColor: page.primaryColor ?? null,
    logoLightUrl: page.logoLightUrl ?? null,
    logoDarkUrl: page.logoDarkUrl ?? null,
    homepageUrl: page.homepageUrl ?? null,
    supportUrl: page.supportUrl ?? null,
  };
}

function toPage(row: StatusPageRow): StatusPage {
  return {
    id: row.id,
    organizationId: row.organizationId,
    name: row.name,
    slug: row.slug,
    description: row.description ?? undefined,
    // The column's check constraint allows only these themes.
    theme: row.theme as Theme,
    primaryColor: row.primaryColor ?? undefined,
    logoLightUrl: row.logoLightUrl ?? undefined,
    logoDarkUrl: row.logoDarkUrl ?? undefined,
    showThemeSwitcher: row.showThemeSwitcher,
    enabled: row.enabled,
    subscribersEnabled: row.subscribersEnabled,
    showUptime: row.showUptime,
    homepageUrl: row.homepageUrl ?? undefined,
    supportUrl: row.supportUrl ?? undefined,
    // The column's check constraint allows only these locales.
    locale: row.locale as Locale,
    noindex: row.noindex,
    domain: toDomain(row),
    domainToken: row.domainToken,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

function toDomain({ domain, ...row }: StatusPageRow): CustomDomain | undefined {
  if (!domain) return undefined;
  return {
    name: domain,
    // The column's check constraint allows only these statuses, and requires one if there is a domain.
    status: row.domainStatus as CustomDomain['status'],
    checkAt: row.domainCheckAt ?? undefined,
    unprovenSince: row.domainUnprovenSince ?? undefined,
  };
}
