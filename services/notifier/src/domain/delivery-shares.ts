/**
 * The pools of slots in which attempts run. First attempts have one of their own, so that they never wait behind
 * retries, and so have recipients that timed out last time, so that their next timeouts delay no other delivery.
 */
export const LANES = ['first', 'retry', 'slow'] as const;
export type Lane = (typeof LANES)[number];

/** How many attempts of a lane run at once in one replica: in all, for one organization, and for one recipient. */
export interface LaneShare {
  readonly total: number;
  readonly perOrganization: number;
  readonly perRecipient: number;
}

export const LANE_SHARES: Readonly<Record<Lane, LaneShare>> = {
  first: { total: 96, perOrganization: 24, perRecipient: 8 },
  retry: { total: 32, perOrganization: 8, perRecipient: 4 },
  slow: { total: 32, perOrganization: 8, perRecipient: 2 },
};

/** A delivery that waits for a slot, or has one. */
export interface LaneEntry {
  readonly organizationId: string;
  readonly recipientId: string;
  readonly lane: Lane;
}

export function laneOf({ attempts, slow }: { attempts: number; slow: boolean }): Lane {
  if (slow) return 'slow';
  return attempts === 0 ? 'first' : 'retry';
}

/** Counts the slots in use, and says who may have another one. */
export class SlotCounter {
  readonly #counts = new Map<string, number>();

  constructor(running: Iterable<LaneEntry>) {
    for (const entry of running) this.#add(entry);
  }

  /** Takes a slot if there is one for this delivery. */
  tryTake(entry: LaneEntry): boolean {
    const { organizationId, recipientId, lane } = entry;
    if (this.isBusy(lane, recipientId) || !this.hasRoom(lane, organizationId)) return false;
    this.#add(entry);
    return true;
  }

  /**
   * Whether an organization may have one more slot of a lane. It gets no more than its share, and no more than half of
   * what the others leave free, so that even many hanging organizations leave something for the next.
   */
  hasRoom(lane: Lane, organizationId: string): boolean {
    const { total, perOrganization } = LANE_SHARES[lane];
    const free = total - this.#count(lane);
    const own = this.#count(`${lane} ${organizationId}`);
    return free > 0 && own < perOrganization && own <= free / 2;
  }

  /** Whether a recipient has its share of a lane. */
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
