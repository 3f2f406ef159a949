import { notFound, ServiceError } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { validate } from 'uuid';
import {
  type CustomDomain,
  checkDomain,
  type DnsRecord,
  isHostName,
  recordsOf,
  says,
} from '../domain/custom-domain.ts';
import type { StatusPage } from '../domain/page.ts';
import { installationHost, type PublicAddress, slugOfHost } from '../domain/public-url.ts';
import { pageUpdated } from '../events/outgoing.ts';
import { isActiveDomain as find, lockPage, savePage } from '../storage/page-store.ts';
import type { PageKey } from '../storage/structure-store.ts';
import type { Deps, Dns } from './ports.ts';
import { getStatusPage } from './status-pages.ts';

/**
 * Saves the domain that `change` returns; returning the same object changes nothing.
 * @throws ServiceError `not_found` for the page, `conflict` when another page is served there, and what `change`
 * throws.
 */
export async function changeDomain(
  { database, now }: Deps,
  { organizationId, pageId }: PageKey,
  change: (page: StatusPage) => CustomDomain | undefined,
): Promise<StatusPage> {
  if (!validate(pageId)) throw notFound('status page');
  return database.transaction({ organizationId }, async (tx) => {
    const page = await lockPage(tx, organizationId, pageId);
    if (!page) throw notFound('status page');
    const domain = change(page);
    if (domain === page.domain) return page;
    const changed = { ...page, domain, updatedAt: now() };
    await savePage(tx, changed);
    await appendEvents(tx, [pageUpdated(changed)], changed.updatedAt);
    return changed;
  });
}

/** A page's custom domain and the DNS records that its owner sets. */
export interface DomainWithRecords {
  readonly domain: CustomDomain;
  readonly records: readonly DnsRecord[];
}

/** @throws ServiceError `not_found` when the page has no custom domain. */
export function withRecords(page: StatusPage, address: PublicAddress): DomainWithRecords {
  const { domain } = page;
  if (!domain) throw notFound('custom domain');
  return { domain, records: recordsOf(page, domain.name, address) };
}

/** @throws ServiceError `not_found` */
export async function getCustomDomain(deps: Deps, { organizationId, pageId }: PageKey): Promise<DomainWithRecords> {
  const { page } = await getStatusPage(deps, { organizationId, id: pageId });
  return withRecords(page, deps.address);
}

/** Returns whether a domain is the active custom domain of a page of any organization. */
export async function isActiveDomain({ database }: Deps, { domain }: { domain: string }): Promise<boolean> {
  const name = domain.toLowerCase();
  return isHostName(name) && database.transaction('every organization', (tx) => find(tx, name));
}

/** Returns whether a host serves one page alone: its host below the status domain, or its custom domain. */
export async function isPageHost(deps: Deps, { host }: { host: string }): Promise<boolean> {
  if (host === installationHost(deps.address)) return false;
  return slugOfHost(host, deps.address) !== undefined || isActiveDomain(deps, { domain: host });
}

/** Removes the custom domain of a page. @throws ServiceError `not_found` */
export async function removeCustomDomain(deps: Deps, key: PageKey): Promise<void> {
  await changeDomain(deps, key, ({ domain }) => {
    if (!domain) throw notFound('custom domain');
    return undefined;
  });
}

/**
 * Sets the custom domain of a page; it has to be verified. Setting the present one again changes nothing.
 * @throws ServiceError `not_found` or `invalid`
 */
export async function setCustomDomain(
  deps: Deps,
  { domain: text, ...key }: PageKey & { domain: string },
): Promise<DomainWithRecords> {
  const page = await changeDomain(deps, key, ({ domain }): CustomDomain => {
    const name = checkDomain(text, deps.address);
    return domain?.name === name ? domain : { name, status: 'pending' };
  });
  return withRecords(page, deps.address);
}

/**
 * Looks for the proof in DNS and makes the domain active or failed, whatever its status was.
 * @throws ServiceError `not_found`; `unavailable` when DNS does not respond, and then nothing changes; `conflict` when
 * another page is served there, or the page got another domain meanwhile.
 */
export async function verifyCustomDomain(deps: Deps, key: PageKey): Promise<DomainWithRecords> {
  // Before the transaction, so that no row is locked during the DNS queries.
  const { domain: asked, records } = await getCustomDomain(deps, key);
  const status = (await isProven(deps.dns, records)) ? 'active' : 'failed';
  const page = await changeDomain(deps, key, ({ domain }): CustomDomain => {
    if (domain?.name !== asked.name)
      throw new ServiceError('conflict', 'the domain was changed meanwhile; verify again');
    return domain.status === status ? domain : { ...domain, status };
  });
  return withRecords(page, deps.address);
}

/** One proof is enough even if the other query fails; only two responses show that there is no proof. */
async function isProven(dns: Dns, records: readonly DnsRecord[]): Promise<boolean> {
  const proofs = records.filter(({ proves }) => proves);
  const lookups = await Promise.allSettled(
    proofs.map(async (record) => says(record, await dns.lookup(record.type, record.name))),
  );
  if (lookups.some((lookup) => lookup.status === 'fulfilled' && lookup.value)) return true;
  const failure = lookups.find((lookup) => lookup.status === 'rejected');
  if (failure) throw failure.reason;
  return false;
}
