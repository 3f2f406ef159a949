import type { Transaction } from '@tocsin/database';
import { unreachable } from '@tocsin/errors';
import type { FailedOutcome, Outcome } from '../domain/outcome.ts';
import type { Settlement } from '../domain/settle.ts';
import type { ClaimedDelivery } from '../storage/delivery-rows.ts';
import { channelRecipient } from './channel-recipient.ts';
import { ownerRecipient } from './owner-recipient.ts';
import type { Deps } from './ports.ts';
import { subscriberRecipient } from './subscriber-recipient.ts';
import { subscriptionRecipient } from './subscription-recipient.ts';

/** A recipient of deliveries: an alert channel, a webhook subscription, an owner, or a subscriber of a status page. */
export interface Recipient {
  /** Label in metrics: a channel's type, `subscription`, `owner` or `subscriber`. */
  readonly type: string;
  /** Makes one attempt. Never throws. */
  send(): Promise<Outcome>;
  /**
   * Returns the delivery's next step after a failed attempt. `attempt` is the number of this attempt, starting at 1.
   */
  settle(outcome: FailedOutcome, attempt: number): Settlement;
  /** Locks the recipient's row until the transaction ends. Returns undefined if the recipient was deleted. */
  lock(tx: Transaction): Promise<LockedRecipient | undefined>;
}

export interface LockedRecipient {
  readonly revision: number;
  /** Records a failed attempt. `isFinal` is true if the attempt will not be retried. */
  recordFailure(outcome: FailedOutcome, isFinal: boolean): Promise<void>;
  /** Returns whether the recipient has accepted another delivery since the first failure of this one. */
  takesOthers?(): Promise<boolean>;
}

export function recipientOf(deps: Deps, { id, organizationId, createdAt, to }: ClaimedDelivery): Recipient {
  switch (to.kind) {
    case 'channel':
      return channelRecipient(deps, { deliveryId: id, organizationId, createdAt, to });
    case 'subscription':
      return subscriptionRecipient(deps, { deliveryId: id, organizationId, to });
    case 'owner':
      return ownerRecipient(deps, { deliveryId: id, organizationId, to });
    case 'subscriber':
      return subscriberRecipient(deps, { deliveryId: id, organizationId, to });
    default:
      return unreachable(to);
  }
}
