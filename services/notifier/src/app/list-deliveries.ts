import type { Paging, Part } from '@tocsin/paging';
import type { Delivery } from '../domain/delivery.ts';
import { listDeliveries as findPart } from '../storage/delivery-reader.ts';
import { getChannel } from './get-channel.ts';
import { getSubscription } from './get-subscription.ts';
import type { Deps } from './ports.ts';

/** A month of deliveries does not fit into one answer, so this list always comes in pages. */
const MAX_PAGE = 200;

interface Wanted {
  readonly organizationId: string;
  readonly id: string;
  readonly paging: Paging;
}

/** What was and is to be sent to a channel, newest first. @throws ServiceError `not_found`. */
export async function listChannelDeliveries(
  deps: Deps,
  { organizationId, id, paging }: Wanted,
): Promise<Part<Delivery>> {
  await getChannel(deps, { organizationId, id });
  return readPage(deps, organizationId, { channelId: id }, paging);
}

/** What was and is to be sent to a subscription, newest first. @throws ServiceError `not_found`. */
export async function listSubscriptionDeliveries(
  deps: Deps,
  { organizationId, id, paging }: Wanted,
): Promise<Part<Delivery>> {
  await getSubscription(deps, { organizationId, id });
  return readPage(deps, organizationId, { subscriptionId: id }, paging);
}

async function readPage(
  { database }: Deps,
  organizationId: string,
  recipient: Parameters<typeof findPart>[2],
  { before, limit = MAX_PAGE }: Paging,
): Promise<Part<Delivery>> {
  return database.transaction({ organizationId }, (tx) => findPart(tx, organizationId, recipient, { before, limit }));
}
