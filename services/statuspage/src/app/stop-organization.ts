import type { Transaction } from '@tocsin/database';
import { appendEvents, type OrganizationHooks } from '@tocsin/outbox';
import { pageUpdated } from '../events/outgoing.ts';
import { orphanSlugs } from '../storage/released-slug-store.ts';
import { resumePages, stopPages } from '../storage/stopped-page-store.ts';

/** Returns the hooks that hide the pages of a stopped organization, and show them again when it resumes. */
export function pageHooks(now: () => Date): OrganizationHooks {
  return {
    async stop(tx, organizationId) {
      await publish(tx, organizationId, await stopPages(tx, organizationId), now());
    },
    async resume(tx, organizationId) {
      const ids = await resumePages(tx, organizationId);
      await publish(tx, organizationId, ids, now());
      return ids.length;
    },
    async deleteFirst(tx, organizationId) {
      await orphanSlugs(tx, organizationId, now());
      return 0;
    },
  };
}

/** Publishes that pages have changed, so that copies of them are replaced or removed. */
async function publish(tx: Transaction, organizationId: string, ids: readonly string[], now: Date): Promise<void> {
  await appendEvents(
    tx,
    ids.map((id) => pageUpdated({ id, organizationId })),
    now,
  );
}
