/** Milliseconds after which a claim looks at all due rounds again. */
const ALL_EVERY_MS = 30_000;

/**
 * Milliseconds before the end of the last claim in which the next claim still looks for rounds. A transaction that
 * schedules a round may commit this long after the time at which the round is due.
 */
const OVERLAP_MS = 10_000;

/** Outcome of a claim that found no rounds that are due at `at`. */
interface NoneDue {
  readonly at: Date;
  /** Time of the next round; undefined if no round is scheduled. */
  readonly nextAt: Date | undefined;
  /** Number of this process's transactions that had ended before the claim. */
  readonly endedTransactions: number;
}

/**
 * Progress of a replica in claiming due rounds. A claim reads the index of the schedule from the earliest time on, and
 * with it the entries of all rounds that started since the oldest open transaction of the database: as long as a dump
 * runs, PostgreSQL removes none of them. Therefore most claims begin shortly before the end of the last one.
 */
export class ClaimProgress {
  readonly #quietMs: number;
  #claimedTo: Date | undefined;
  #lookedAtAllAt = Number.NEGATIVE_INFINITY;
  #noneDue: NoneDue | undefined;

  /** @param quietMs How long it is relied on that no round is due, in milliseconds. */
  constructor(quietMs = 0) {
    this.#quietMs = quietMs;
  }

  /**
   * Returns whether no round can be due at `at`, according to the last claim: no transaction of this process has ended
   * since then. After the clock was set back, returns false.
   */
  isQuiet(at: Date, endedTransactions: number): boolean {
    const known = this.#noneDue;
    if (!known || known.endedTransactions !== endedTransactions || at < known.at) return false;
    const lookAgainAt = Math.min(known.at.getTime() + this.#quietMs, this.#lookedAtAllAt + ALL_EVERY_MS);
    return at.getTime() < lookAgainAt && (known.nextAt === undefined || at < known.nextAt);
  }

  /**
   * Returns the time after which a claim for rounds that are due at `at` has to look; undefined if it has to look at
   * all rounds. That is so for the first claim, for one every 30 s, which finds rounds that other replicas claimed
   * without committing, and after the clock was set back. Call this once for each claim: undefined is returned once in
   * these 30 s.
   */
  since(at: Date): Date | undefined {
    const isUnknown = !this.#claimedTo || at < this.#claimedTo;
    if (isUnknown || at.getTime() - this.#lookedAtAllAt >= ALL_EVERY_MS) {
      // One attempt is enough. Further ones would read all entries again while more rounds become due.
      this.#lookedAtAllAt = at.getTime();
      return undefined;
    }
    return this.#claimedTo && new Date(this.#claimedTo.getTime() - OVERLAP_MS);
  }

  /** Records that the rounds that were due at `to` are claimed, in a transaction that has committed. */
  record(to: Date): void {
    this.#claimedTo = to;
  }

  /** Records that a claim found no due rounds. */
  recordNoneDue(noneDue: NoneDue): void {
    this.#noneDue = noneDue;
    this.record(noneDue.at);
  }
}
