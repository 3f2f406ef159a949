import { v5 } from 'uuid';
import { ASK_AGAIN_MS, MAX_ASKS } from '../domain/mail-recipient.ts';
import { addressIn, MAX_SUBSCRIBERS, type SubscribedPage } from '../domain/subscriber.ts';
import { countSubscribers, insertSubscriber, saveSubscribedPage } from '../storage/subscriber-store.ts';
import { type Deps, subscriberContext } from './ports.ts';

export type SubscribeOutcome = 'accepted' | 'invalid_address' | 'full';

/**
 * Saves a visitor who wants the updates of a page, and schedules the email that asks for confirmation. The outcome is
 * the same whether the address is new or not. A subscriber that has confirmed is not asked again, and any other one an
 * hour later at the earliest.
 */
export async function subscribe(
  { database, vault, now }: Pick<Deps, 'database' | 'vault' | 'now'>,
  { page, entered }: { page: SubscribedPage; entered: string },
): Promise<SubscribeOutcome> {
  const address = addressIn(entered);
  if (address === undefined) return 'invalid_address';
  const { organizationId } = page;
  const at = now();
  const id = subscriberIdOf(page, address);
  const subscriber = { id, sealedAddress: vault.seal(address, subscriberContext(id)) };
  return database.transaction({ organizationId }, async (tx) => {
    // Locks the page, so that concurrent calls do not exceed the limit.
    await saveSubscribedPage(tx, page);
    const { confirmed, pending } = await countSubscribers(tx, page);
    if (confirmed >= MAX_SUBSCRIBERS || pending >= MAX_SUBSCRIBERS) return 'full';
    await insertSubscriber(tx, page, subscriber, {
      now: at,
      askAgainAfter: new Date(at.getTime() - ASK_AGAIN_MS),
      maxAsks: MAX_ASKS,
    });
    return 'accepted';
  });
}

/**
 * Returns the id of the subscriber with an address, ignoring case: a hash of the page and the address. If an address
 * subscribes again, it has the same id, so that the links in its earlier emails still unsubscribe it.
 */
export function subscriberIdOf(
  { id, organizationId }: Pick<SubscribedPage, 'id' | 'organizationId'>,
  address: string,
): string {
  return v5(`${organizationId} ${address.toLowerCase()}`, id);
}
