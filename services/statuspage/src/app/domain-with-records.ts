import { notFound } from '@tocsin/errors';
import { type CustomDomain, type DnsRecord, recordsOf } from '../domain/custom-domain.ts';
import type { StatusPage } from '../domain/page.ts';
import type { PublicAddress } from '../domain/public-url.ts';

/** A page's own domain, and what its owner sets in DNS. */
export interface DomainWithRecords {
  readonly domain: CustomDomain;
  readonly records: readonly DnsRecord[];
}

/** @throws ServiceError `not_found` when the page has no domain of its own. */
export function withRecords(page: StatusPage, address: PublicAddress): DomainWithRecords {
  const { domain } = page;
  if (!domain) throw notFound('custom domain');
  return { domain, records: recordsOf(page, domain.name, address) };
}
