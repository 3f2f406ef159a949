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
import { failedDomain, provenDomain } from '../domain/domain-check.ts';
import type { StatusPage } from '../domain/page.ts';
import { installationHost, type PublicAddress, slugOfHost } from '../domain/public-url.ts';
import { pageUpdated } from '../events/outgoing.ts';
import { isActiveDomain as find, lockPage, savePage } from '../storage/page-store.ts';
import type { PageKey } from '../storage/structure-store.ts';
import type { Deps, Dns } from './ports.ts';
import { getStatusPage } from './status-pages.ts';

/**
 * Saves the custom domain that `change` returns. If `change` returns the same object, nothing is saved.
 * @throws ServiceError `not_found` for the page, `conflict` if another page is active at the domain, and the errors of
 * `change`.
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

/** A page's custom domain, with the DNS records that its owner must set. */
export interface DomainWithRecords {
  readonly domain: CustomDomain;
  readonly records: readonly DnsRecord[];
}

/**
 * Returns a page's custom domain with its DNS records.
 * @throws ServiceError `not_found` if the page has no custom domain.
 */
export function withRecords(page: StatusPage, address: PublicAddress): DomainWithRecords {
  const { domain } = page;
  if (!domain) throw notFound('custom domain');
  return { domain, records: recordsOf(page, domain.name, address) };
}

/**
 * Returns a page's custom domain with its DNS records.
 * @throws ServiceError `not_found`
 */
export async function getCustomDomain(deps: Deps, { organizationId, pageId }: PageKey): Promise<DomainWithRecords> {
  const { page } = await getStatusPage(deps, { organizationId, id: pageId });
  return withRecords(page, deps.address);
}

/** Returns whether a domain is the active custom domain of any organization's page. */
export async function isActiveDomain({ database }: Deps, { domain }: { domain: string }): Promise<boolean> {
  const name = domain.toLowerCase();
  return isHostName(name) && database.transaction('every organization', (tx) => find(tx, name));
}

/**
 * Returns whether a host is below the status domain or is an active custom domain. Such a host serves only one page.
 */
export async function isPageHost(deps: Deps, { host }: { host: string }): Promise<boolean> {
  if (host === installationHost(deps.address)) return false;
  return slugOfHost(host, deps.address) !== undefined || isActiveDomain(deps, { domain: host });
}

/**
 * Removes the custom domain of a page.
 * @throws ServiceError `not_found`
 */
export async function removeCustomDomain(deps: Deps, key: PageKey): Promise<void> {
  await changeDomain(deps, key, ({ domain }) => {
    if (!domain) throw notFound('custom domain');
    return undefined;
  });
}

/**
 * Sets the custom domain of a page. The domain must be verified before the page is served there. Setting the current
 * domain again changes nothing.
 * @throws ServiceError `not_found` or `invalid`
 */
export async function setCustomDomain(
  deps: Deps,
  { domain: text, ...key }: PageKey & { domain: string },
): Promise<DomainWithRecords> {
  const page = await changeDomain(deps, key, ({ domain }): CustomDomain => {
    const name = checkDomain(text, deps.address);
    if (domain?.name === name) return domain;
    return { name, status: 'pending', checkAt: undefined, unprovenSince: undefined };
  });
  return withRecords(page, deps.address);
}

/**
 * Looks up the proof in DNS and marks the domain as active or failed, regardless of its previous status.
 * @throws ServiceError `not_found`; `unavailable` if DNS does not respond, in which case nothing changes; `conflict` if
 * another page is active at the domain, or if the page's domain was changed in the meantime.
 */
export async function verifyCustomDomain(deps: Deps, key: PageKey): Promise<DomainWithRecords> {
  // Read the domain before the transaction, so that no row is locked during the DNS queries.
  const { domain: asked, records } = await getCustomDomain(deps, key);
  const proven = await isProven(deps.dns, records);
  const page = await changeDomain(deps, key, ({ domain }): CustomDomain => {
    if (domain?.name !== asked.name)
      throw new ServiceError('conflict', 'the domain was changed meanwhile; verify again');
    const { status, unprovenSince } = domain;
    if (proven) return status === 'active' && !unprovenSince ? domain : provenDomain(domain.name, deps.now());
    return status === 'failed' ? domain : failedDomain(domain.name);
  });
  return withRecords(page, deps.address);
}

/**
 * Returns whether DNS contains one of the records that prove the domain. One record is enough, even if the query for
 * the other one fails.
 * @throws the error of a failed query if no proof was found.
 */
export async function isProven(dns: Dns, records: readonly DnsRecord[]): Promise<boolean> {
  const proofs = records.filter(({ proves }) => proves);
  const lookups = await Promise.allSettled(
    proofs.map(async (record) => says(record, await dns.lookup(record.type, record.name))),
  );
  if (lookups.some((lookup) => lookup.status === 'fulfilled' && lookup.value)) return true;
  const failure = lookups.find((lookup) => lookup.status === 'rejected');
  if (failure) throw failure.reason;
  return false;
}
