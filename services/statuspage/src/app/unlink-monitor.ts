import type { Transaction } from '@tocsin/database';
import { appendEvents } from '@tocsin/outbox';
import { pageUpdated } from '../events/outgoing.ts';
import { unlink } from '../storage/component-store.ts';
import { touchPages } from '../storage/page-store.ts';

/** A monitor is gone: no component follows it any more. */
export async function unlinkMonitor(
  tx: Transaction,
  { organizationId, monitorId }: { organizationId: string; monitorId: string },
  now: Date,
): Promise<void> {
  const pages = await unlink(tx, organizationId, monitorId, now);
  await touchPages(tx, organizationId, pages, now);
  await appendEvents(
    tx,
    pages.map((id) => pageUpdated({ organizationId, id })),
    now,
  );
}
