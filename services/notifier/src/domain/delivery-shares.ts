/**
 * Lanes: separate pools of slots for attempts. First attempts and retries have different lanes, so that first attempts
 * do not wait for retries. Attempts to send to a recipient whose last attempt timed out use the lane `slow`, so that
 * further timeouts do not delay deliveries to other recipients. All emails to subscribers of status pages use the lane
 * `subscriber`, so that they never delay alerts.
 */
export const LANES = ['first', 'retry', 'slow', 'subscriber'] as const;
export type Lane = (typeof LANES)[number];

/**
 * Maximum numbers of concurrent attempts in a lane of one replica: in total, for one organization, and for one
 * recipient.
 */
export interface LaneShare {
  readonly total: number;
  readonly perOrganization: number;
  readonly perRecipient: number;
}

export const LANE_SHARES: Readonly<Record<Lane, LaneShare>> = {
  first: { total: 96, perOrganization: 24, perRecipient: 8 },
  retry: { total: 32, perOrganization: 8, perRecipient: 4 },
  slow: { total: 32, perOrganization: 8, perRecipient: 2 },
  subscriber: { total: 16, perOrganization: 4, perRecipient: 1 },
};

/** A delivery that needs or has a slot. */
export interface LaneEntry {
  readonly organizationId: string;
  readonly recipientId: string;
  readonly lane: Lane;
}

export function laneOf({
  attempts,
  slow,
  toSubscriber,
}: {
  attempts: number;
  slow: boolean;
  toSubscriber: boolean;
}): Lane {
  if (toSubscriber) return 'subscriber';
  if (slow) return 'slow';
  return attempts === 0 ? 'first' : 'retry';
}

/** Counts the slots in use, and decides whether a delivery may use another slot. */
export class SlotCounter {
  readonly #counts = new Map<string, number>();

  constructor(running: Iterable<LaneEntry>) {
    for (const entry of running) this.#add(entry);
  }

  /** Reserves a slot if this delivery may have one. Returns whether it reserved a slot. */
  tryTake(entry: LaneEntry): boolean {
    const { organizationId, recipientId, lane } = entry;
    if (this.isBusy(lane, recipientId) || !this.hasRoom(lane, organizationId)) return false;
    this.#add(entry);
    return true;
  }

  /**
   * Whether an organization may use another slot in a lane. Its limit is `perOrganization`, or about half the number of
   * free slots, whichever is smaller. Even if many organizations have hanging attempts, slots remain for others.
   */
  hasRoom(lane: Lane, organizationId: string): boolean {
    const { perOrganization } = LANE_SHARES[lane];
    const free = this.free(lane);
    const own = this.#count(`${lane} ${organizationId}`);
    return free > 0 && own < perOrganization && own <= free / 2;
  }

  free(lane: Lane): number {
    return LANE_SHARES[lane].total - this.#count(lane);
  }

  /** Whether a recipient uses all slots that it may use in a lane. */
  isBusy(lane: Lane, recipientId: string): boolean {
    return this.#count(`${lane} ${recipientId}`) >= LANE_SHARES[lane].perRecipient;
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #add({ organizationId, recipientId, lane }: LaneEntry): void {
    for (const key of [lane, `${lane} ${organizationId}`, `${lane} ${recipientId}`]) {
      this.#counts.set(key, this.#count(key) + 1);
    }
  }
}
