import type { DeliveryStatus } from '@tocsin/enums';
import type { Paging, Part } from '@tocsin/paging';
import type { Delivery } from '../domain/delivery.ts';
import { listDeliveries as findPart } from '../storage/delivery-reader.ts';
import { getChannel } from './get-channel.ts';
import { getSubscription } from './get-subscription.ts';
import type { Deps } from './ports.ts';

/** Maximum page size. It is smaller than in other lists, because each delivery includes all of its attempts. */
const MAX_PAGE = 200;

interface Wanted {
  readonly organizationId: string;
  readonly id: string;
  readonly status?: DeliveryStatus | undefined;
  readonly paging: Paging;
}

/**
 * Returns a page of a channel's deliveries, newest first.
 * @throws ServiceError `not_found`.
 */
export async function listChannelDeliveries(
  deps: Deps,
  { organizationId, id, status, paging }: Wanted,
): Promise<Part<Delivery>> {
  await getChannel(deps, { organizationId, id });
  return readPage(deps, organizationId, { channelId: id, status }, paging);
}

/**
 * Returns a page of a subscription's deliveries, newest first.
 * @throws ServiceError `not_found`.
 */
export async function listSubscriptionDeliveries(
  deps: Deps,
  { organizationId, id, status, paging }: Wanted,
): Promise<Part<Delivery>> {
  await getSubscription(deps, { organizationId, id });
  return readPage(deps, organizationId, { subscriptionId: id, status }, paging);
}

async function readPage(
  { database }: Deps,
  organizationId: string,
  recipient: Parameters<typeof findPart>[2],
  { before, limit }: Paging,
): Promise<Part<Delivery>> {
  return database.transaction({ organizationId }, (tx) =>
    findPart(tx, organizationId, recipient, { before, limit: Math.min(limit, MAX_PAGE) }),
  );
}
