import type { DeliveryStatus } from '@tocsin/enums';
import type { Paging, Part } from '@tocsin/paging';
import type { Delivery } from '../domain/delivery.ts';
import { listDeliveries as findPart } from '../storage/delivery-reader.ts';
import { getChannel } from './get-channel.ts';
import { getSubscription } from './get-subscription.ts';
import type { Deps } from './ports.ts';

/** Deliveries come with all of their attempts, so that their pages are shorter. */
const MAX_PAGE = 200;

interface Wanted {
  readonly organizationId: string;
  readonly id: string;
  readonly status?: DeliveryStatus | undefined;
  readonly paging: Paging;
}

/** What was and is to be sent to a channel, newest first. @throws ServiceError `not_found`. */
export async function listChannelDeliveries(
  deps: Deps,
  { organizationId, id, status, paging }: Wanted,
): Promise<Part<Delivery>> {
  await getChannel(deps, { organizationId, id });
  return readPage(deps, organizationId, { channelId: id, status }, paging);
}

/** What was and is to be sent to a subscription, newest first. @throws ServiceError `not_found`. */
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
