import { MAX_SUBSCRIBERS } from '../domain/subscriber.ts';
import type { NamedPage } from '../domain/subscriber-texts/texts.ts';
import {
  confirmSubscriber,
  countSubscribers,
  deleteSubscriber,
  findSubscribedPage,
  hasSubscriber,
  lockSubscribedPage,
} from '../storage/subscriber-store.ts';
import type { Deps } from './ports.ts';
import type { SubscriberLink } from './subscriber-links.ts';

type LinkDeps = Pick<Deps, 'database' | 'now'>;

/** Returns the page that a subscriber's link is about; undefined if it was deleted. */
export async function findPageOfLink({ database }: LinkDeps, link: SubscriberLink): Promise<NamedPage> {
  const { organizationId, pageId } = link;
  return database.transaction({ organizationId }, (tx) => findSubscribedPage(tx, organizationId, pageId));
}

/** Returns whether a link no longer does anything: its time is over, or what it would confirm was deleted. */
export async function isOver({ database, now }: LinkDeps, link: SubscriberLink): Promise<boolean> {
  if (isExpired(link, now())) return true;
  const { kind, organizationId, subscriberId: id } = link;
  if (kind === 'unsubscribe') return false;
  return database.transaction({ organizationId }, async (tx) => !(await hasSubscriber(tx, { organizationId, id })));
}

function isExpired({ expiresAt }: SubscriberLink, now: Date): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

export type FollowOutcome = 'confirmed' | 'unsubscribed' | 'expired' | 'full';

/**
 * Performs the action of a subscriber's link, which may be repeated. Unsubscribing deletes the subscriber with what was
 * not sent yet. Returns `expired` for a link to confirm a subscriber that was deleted meanwhile.
 */
export async function followSubscriberLink({ database, now }: LinkDeps, link: SubscriberLink): Promise<FollowOutcome> {
  const { organizationId, pageId, subscriberId: id } = link;
  return database.transaction({ organizationId }, async (tx) => {
    if (link.kind === 'unsubscribe') {
      await deleteSubscriber(tx, { organizationId, id });
      return 'unsubscribed';
    }
    if (isExpired(link, now()) || !(await lockSubscribedPage(tx, organizationId, pageId))) return 'expired';
    const { confirmed } = await countSubscribers(tx, { organizationId, id: pageId });
    if (confirmed >= MAX_SUBSCRIBERS) return 'full';
    return (await confirmSubscriber(tx, { organizationId, id }, now())) ? 'confirmed' : 'expired';
  });
}
