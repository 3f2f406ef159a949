import type { Paging, Part } from '@tocsin/paging';
import type { Subscription } from '../domain/subscription.ts';
import { listSubscriptions as findPart } from '../storage/subscription-store.ts';
import type { Deps } from './ports.ts';

/** Returns the organization's subscriptions, newest first. */
export async function listSubscriptions(
  { database }: Deps,
  { organizationId, paging }: { organizationId: string; paging: Paging },
): Promise<Part<Subscription>> {
  return database.transaction({ organizationId }, (tx) => findPart(tx, organizationId, paging));
}
