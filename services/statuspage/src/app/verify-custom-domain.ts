import { ServiceError } from '@tocsin/errors';
import { type CustomDomain, type DnsRecord, says } from '../domain/custom-domain.ts';
import type { PageKey } from '../storage/structure-store.ts';
import { changeDomain } from './change-domain.ts';
import { type DomainWithRecords, withRecords } from './domain-with-records.ts';
import { getCustomDomain } from './get-custom-domain.ts';
import type { Deps, Dns } from './ports.ts';

/**
 * Looks for the proof in DNS, whatever came of it before: the domain becomes active or failed.
 * @throws ServiceError `not_found`; `unavailable` when DNS gives no answer, and then nothing changes; `conflict` when
 * another page is served there, or the page got another domain meanwhile.
 */
export async function verifyCustomDomain(deps: Deps, key: PageKey): Promise<DomainWithRecords> {
  // Before the transaction: no row stays locked while DNS is asked.
  const { domain: asked, records } = await getCustomDomain(deps, key);
  const status = (await isProven(deps.dns, records)) ? 'active' : 'failed';
  const page = await changeDomain(deps, key, ({ domain }): CustomDomain => {
    if (domain?.name !== asked.name)
      throw new ServiceError('conflict', 'the domain was changed meanwhile; verify again');
    return domain.status === status ? domain : { ...domain, status };
  });
  return withRecords(page, deps.address);
}

/** One proof is enough, even while DNS does not answer for the other; that there is none needs both answers. */
async function isProven(dns: Dns, records: readonly DnsRecord[]): Promise<boolean> {
  const proofs = records.filter(({ proves }) => proves);
  const answers = await Promise.allSettled(
    proofs.map(async (record) => says(record, await dns.lookup(record.type, record.name))),
  );
  if (answers.some((answer) => answer.status === 'fulfilled' && answer.value)) return true;
  const silence = answers.find((answer) => answer.status === 'rejected');
  if (silence) throw silence.reason;
  return false;
}
