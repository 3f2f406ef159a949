import { type Transaction, violatedConstraint } from '@tocsin/database';
import { invalid } from '@tocsin/errors';
import type { StatusPage, Theme } from '../domain/page.ts';
import { StatusPageEntity, type StatusPageRow } from './schema.ts';

/** @throws ServiceError `invalid` when another page, of whatever organization, has the slug. */
export async function insertPage(tx: Transaction, page: StatusPage): Promise<void> {
  await orTaken(tx.em.insert(StatusPageEntity, toRow(page)));
}

/** @throws ServiceError `invalid` when another page, of whatever organization, has the slug. */
export async function savePage(tx: Transaction, page: StatusPage): Promise<void> {
  const { id, organizationId, ...row } = toRow(page);
  await orTaken(tx.em.nativeUpdate(StatusPageEntity, { id, organizationId }, row));
}

export async function findPage(tx: Transaction, organizationId: string, id: string): Promise<StatusPage | undefined> {
  const row = await tx.em.findOne(StatusPageEntity, { id, organizationId });
  return row ? toPage(row) : undefined;
}

/** Finds a page and lets no other change of it or of its structure pass until the commit. */
export async function lockPage(tx: Transaction, organizationId: string, id: string): Promise<StatusPage | undefined> {
  const rows = await tx.query('select from status_page where organization_id = $1 and id = $2 for update', [
    organizationId,
    id,
  ]);
  return rows.length > 0 ? findPage(tx, organizationId, id) : undefined;
}

/** The organization's pages, newest first. */
export async function listPages(tx: Transaction, organizationId: string): Promise<StatusPage[]> {
  const rows = await tx.em.find(StatusPageEntity, { organizationId }, { orderBy: { createdAt: 'desc', id: 'desc' } });
  return rows.map(toPage);
}

/** The page that the public sees under a slug; needs a scope that crosses organizations. */
export async function findPublicPage(tx: Transaction, slug: string): Promise<StatusPage | undefined> {
  const row = await tx.em.findOne(StatusPageEntity, { slug, enabled: true });
  return row ? toPage(row) : undefined;
}

export async function touchPages(tx: Transaction, organizationId: string, ids: string[], now: Date): Promise<void> {
  await tx.em.nativeUpdate(StatusPageEntity, { organizationId, id: { $in: ids } }, { updatedAt: now });
}

async function orTaken(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (violatedConstraint(error) === 'status_page_slug') throw invalid({ slug: ['is taken'] });
    throw error;
  }
}

function toRow(page: StatusPage): StatusPageRow {
  return {
    ...page,
    description: page.description ?? null,
    primaryColor: page.primaryColor ?? null,
    logoLightUrl: page.logoLightUrl ?? null,
    logoDarkUrl: page.logoDarkUrl ?? null,
  };
}

function toPage(row: StatusPageRow): StatusPage {
  return {
    id: row.id,
    organizationId: row.organizationId,
    name: row.name,
    slug: row.slug,
    description: row.description ?? undefined,
    // The column's check knows the same themes.
    theme: row.theme as Theme,
    primaryColor: row.primaryColor ?? undefined,
    logoLightUrl: row.logoLightUrl ?? undefined,
    logoDarkUrl: row.logoDarkUrl ?? undefined,
    showThemeSwitcher: row.showThemeSwitcher,
    enabled: row.enabled,
    subscribersEnabled: row.subscribersEnabled,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
