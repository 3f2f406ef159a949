/**
 * A queue that serves tenants in turn: each tenant with waiting items is served once before any tenant is served again.
 * A tenant with ten thousand items therefore does not delay a tenant with three.
 */
export class FairQueue<Item> {
  /** Waiting items by tenant, in the order in which the tenants are served. No list is empty. */
  readonly #waiting = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns the number of a tenant's waiting items. */
  sizeOf(tenant: string): number {
    return this.#waiting.get(tenant)?.length ?? 0;
  }

  add(tenant: string, item: Item): void {
    const items = this.#waiting.get(tenant);
    if (items) items.push(item);
    else this.#waiting.set(tenant, [item]);
    this.#size += 1;
  }

  /** Removes and returns the oldest item of the next eligible tenant; undefined if there is none. */
  take(isEligible: (tenant: string) => boolean = () => true): { tenant: string; item: Item } | undefined {
    for (const [tenant, items] of this.#waiting) {
      if (!isEligible(tenant)) continue;
      const item = items.shift() as Item;
      if (items.length === 0) {
        this.#waiting.delete(tenant);
      } else if (this.#waiting.size > 1) {
        // The tenant is served after the others.
        this.#waiting.delete(tenant);
        this.#waiting.set(tenant, items);
      }
      this.#size -= 1;
      return { tenant, item };
    }
    return undefined;
  }

  /** Removes and returns all items for which `matches` is true. The tenants keep their order. */
  removeAll(matches: (item: Item) => boolean): Item[] {
    const removed: Item[] = [];
    for (const [tenant, items] of this.#waiting) {
      const kept = items.filter((item) => !matches(item));
      if (kept.length === items.length) continue;
      removed.push(...items.filter(matches));
      if (kept.length === 0) this.#waiting.delete(tenant);
      else this.#waiting.set(tenant, kept);
    }
    this.#size -= removed.length;
    return removed;
  }
}
