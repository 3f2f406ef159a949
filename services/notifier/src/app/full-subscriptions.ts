/**
 * How long subscriptions count as full after their waiting deliveries were counted, in milliseconds. If they were
 * counted for each event, an organization with many full subscriptions would cost the database more for its counts than
 * for its events.
 */
const FULL_MS = 1_000;

interface Counted {
  readonly full: readonly string[];
  /** Time at which the deliveries were counted, in milliseconds of `performance.now()`. */
  readonly at: number;
}

/** Remembers for a moment which subscriptions had too many waiting deliveries. Each replica has its own. */
export class FullSubscriptions {
  /** The newest counts that found full subscriptions, by organization; the oldest is first. */
  readonly #counted = new Map<string, Counted>();

  /** Returns the ids of the organization's subscriptions that were full a moment ago. */
  of(organizationId: string): readonly string[] {
    for (const [id, { at }] of this.#counted) {
      if (performance.now() - at < FULL_MS) break;
      this.#counted.delete(id);
    }
    return this.#counted.get(organizationId)?.full ?? [];
  }

  /** Adds what was counted, unless an earlier count is still remembered. */
  add(organizationId: string, full: readonly string[]): void {
    if (full.length > 0 && !this.#counted.has(organizationId)) {
      this.#counted.set(organizationId, { full, at: performance.now() });
    }
  }
}
