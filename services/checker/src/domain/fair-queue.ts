/**
 * What waits, taken in turns: each tenant that has something waiting is served once before any is served again. One
 * with ten thousand entries does not delay one with three.
 */
export class FairQueue<Item> {
  /** Tenants in the order of their turns; each has at least one item. */
  readonly #waiting = new Map<string, Item[]>();
  #size = 0;

  /** Items that wait. */
  get size(): number {
    return this.#size;
  }

  add(tenant: string, item: Item): void {
    const items = this.#waiting.get(tenant);
    if (items) items.push(item);
    else this.#waiting.set(tenant, [item]);
    this.#size += 1;
  }

  /** The oldest item of the tenant whose turn it is; undefined when nothing waits. */
  take(): Item | undefined {
    const [turn] = this.#waiting;
    if (!turn) return undefined;
    const [tenant, items] = turn;
    const item = items.shift();
    this.#waiting.delete(tenant);
    if (items.length > 0) this.#waiting.set(tenant, items);
    this.#size -= 1;
    return item;
  }
}
