import type { Transaction } from '@tocsin/database';
import type { Outcome } from '../domain/outcome.ts';
import type { Settlement } from '../domain/settle.ts';
import type { ClaimedDelivery } from '../storage/claim-deliveries.ts';
import { channelRecipient } from './channel-recipient.ts';
import type { Deps } from './ports.ts';
import { subscriptionRecipient } from './subscription-recipient.ts';

/** What differs between the things that deliveries go to: alert channels and webhook subscriptions. */
export interface Recipient {
  /** For metrics: a channel's type, or `subscription`. */
  readonly type: string;
  /** Makes one attempt. Never throws. */
  send(): Promise<Outcome>;
  /** What becomes of the delivery after attempt number `attempt`, from 1. */
  settle(outcome: Outcome, attempt: number): Settlement;
  /** Keeps it from changing until the transaction ends; undefined when it is gone. */
  lock(tx: Transaction): Promise<LockedRecipient | undefined>;
  /** A delivery got through. */
  praise(tx: Transaction): Promise<void>;
}

export interface LockedRecipient {
  readonly revision: number;
  /** A delivery was given up. */
  blame(outcome: Outcome): Promise<void>;
}

export function recipientOf(deps: Deps, { id, organizationId, to }: ClaimedDelivery): Recipient {
  return to.kind === 'channel'
    ? channelRecipient(deps, { deliveryId: id, organizationId, to })
    : subscriptionRecipient(deps, { deliveryId: id, organizationId, to });
}
