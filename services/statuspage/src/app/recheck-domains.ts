import type { Logger } from '@tocsin/runtime';
import { RETRY_INTERVAL_MS, recheckedDomain } from '../domain/domain-check.ts';
import { claimDueDomains } from '../storage/page-store.ts';
import type { PageKey } from '../storage/structure-store.ts';
import { changeDomain, getCustomDomain, isProven } from './custom-domains.ts';
import type { Deps } from './ports.ts';

const CLAIMED_AT_ONCE = 10;

/**
 * Verifies the active domains whose verification is due. A domain is no longer served if its DNS records have not been
 * valid for two weeks. If a DNS lookup fails, the domain does not change and is verified again a day later.
 */
export async function recheckDomains(deps: Deps, logger: Logger): Promise<'again' | 'done'> {
  const now = deps.now();
  const next = new Date(now.getTime() + RETRY_INTERVAL_MS);
  const due = await deps.database.transaction('every organization', (tx) =>
    claimDueDomains(tx, { now, next, limit: CLAIMED_AT_ONCE }),
  );
  for (const key of due) {
    await recheckDomain(deps, key).catch((error: unknown) => {
      logger.warn({ err: error, status_page_id: key.pageId }, 'a custom domain can not be verified now');
    });
  }
  return due.length === CLAIMED_AT_ONCE ? 'again' : 'done';
}

async function recheckDomain(deps: Deps, key: PageKey): Promise<void> {
  const { domain: asked, records } = await getCustomDomain(deps, key);
  const proven = await isProven(deps.dns, records);
  await changeDomain(deps, key, ({ domain }) => {
    if (domain?.name !== asked.name || domain.status !== 'active') return domain;
    return recheckedDomain(domain, proven, deps.now());
  });
}
