import { createHash } from 'node:crypto';
import { appendEvents } from '@tocsin/outbox';
import { type Logo, logoFormatOf, logoPause, MAX_LOGO_BYTES } from '../domain/logo.ts';
import { publicPageChanged } from '../events/outgoing.ts';
import {
  claimDueLogos,
  countLogoFetch,
  findLogoImage,
  type LogoImage,
  postponeLogo,
  saveLogo,
  saveLogoError,
  type WantedLogo,
} from '../storage/logo-store.ts';
import type { PageKey } from '../storage/structure-store.ts';
import type { Deps, LogoSource } from './ports.ts';

const CLAIMED_AT_ONCE = 10;

/** Maximum number of logos that are fetched for one organization per minute. */
export const MAX_FETCHES_PER_MINUTE = 10;

/** Milliseconds after which a logo is fetched again if the replica that was fetching it stopped. */
const CLAIM_MS = 60_000;

const MINUTE_MS = 60_000;

/**
 * Fetches new logos, logos that were fetched a day ago, and logos whose next attempt after a failure is due. Logos
 * beyond an organization's limit wait for the next minute.
 */
export async function fetchDueLogos(deps: Deps & { readonly logos: LogoSource }): Promise<'again' | 'done'> {
  const now = deps.now();
  const { due, allowed } = await deps.database.transaction('every organization', async (tx) => {
    const next = new Date(now.getTime() + CLAIM_MS);
    const due = await claimDueLogos(tx, { now, next, limit: CLAIMED_AT_ONCE });
    const allowed: WantedLogo[] = [];
    const nextMinute = new Date((Math.floor(now.getTime() / MINUTE_MS) + 1) * MINUTE_MS);
    for (const logo of due.toSorted((a, b) => (a.organizationId < b.organizationId ? -1 : 1))) {
      if (await countLogoFetch(tx, logo.organizationId, { now, max: MAX_FETCHES_PER_MINUTE })) allowed.push(logo);
      else await postponeLogo(tx, logo, nextMinute);
    }
    return { due, allowed };
  });
  await Promise.all(allowed.map((logo) => fetchLogo(deps, logo)));
  return due.length === CLAIMED_AT_ONCE ? 'again' : 'done';
}

async function fetchLogo({ database, logos, now }: Deps & { readonly logos: LogoSource }, logo: WantedLogo) {
  const fetched = await logos.fetch(logo.url, MAX_LOGO_BYTES);
  const image = fetched.kind === 'fetched' ? imageOf(fetched.content) : fetched;
  await database.transaction({ organizationId: logo.organizationId }, async (tx) => {
    const at = now();
    if ('error' in image) return saveLogoError(tx, logo, { error: image.error, now: at, pause: logoPause });
    const isChanged = await saveLogo(tx, logo, image, new Date(at.getTime() + logoPause(0)));
    if (!isChanged) return;
    const { organizationId, pageId: id } = logo;
    await appendEvents(tx, [publicPageChanged({ organizationId, id })], at);
  });
}

function imageOf(content: Buffer): LogoImage | { readonly error: string } {
  const format = logoFormatOf(content);
  if (!format) return { error: 'the file is not a PNG, JPEG, GIF, WebP or SVG image' };
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 32);
  return { content, hash, format };
}

/** Returns the image of a page's logo; undefined if the page has no such logo. */
export function getLogoImage(
  { database }: Pick<Deps, 'database'>,
  key: PageKey,
  logo: Logo,
): Promise<Buffer | undefined> {
  const { organizationId } = key;
  return database.transaction({ organizationId }, (tx) => findLogoImage(tx, key, logo));
}
