/** Item that is stored for an organization. */
interface Stored {
  readonly key: string;
  readonly organizationId: string;
  readonly bytes: number;
}

/**
 * Stores items up to a total size. Each organization may use only a part of it, its share. If an organization exceeds
 * its share, its least recently used items are removed. If the total size is exceeded, the least recently used items of
 * all organizations are removed.
 */
export class PageShelf<Item extends Stored> {
  readonly #maxBytes: number;
  readonly #maxShare: number;
  /**
   * Items of all organizations, least recently used first. The map of each organization in `#shares` has the same
   * order.
   */
  readonly #items = new Map<string, Item>();
  readonly #shares = new Map<string, { bytes: number; readonly items: Map<string, Item> }>();
  #bytes = 0;

  constructor(maxBytes: number, maxShare: number) {
    this.#maxBytes = maxBytes;
    this.#maxShare = maxShare;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#items.size;
  }

  /** Returns an item and marks it as used. */
  get(key: string): Item | undefined {
    const item = this.#items.get(key);
    if (!item) return undefined;
    this.#items.delete(key);
    this.#items.set(key, item);
    const items = this.#shares.get(item.organizationId)?.items;
    items?.delete(key);
    items?.set(key, item);
    return item;
  }

  /** Returns an item without marking it as used. */
  peek(key: string): Item | undefined {
    return this.#items.get(key);
  }

  values(): IterableIterator<Item> {
    return this.#items.values();
  }

  /**
   * Stores an item. Removes the stored item with the same key, even if the new item is larger than an organization's
   * share and is therefore not stored.
   */
  set(item: Item): void {
    this.delete(item.key);
    if (item.bytes > this.#maxShare) return;
    const share = this.#shares.get(item.organizationId) ?? { bytes: 0, items: new Map() };
    this.#shares.set(item.organizationId, share);
    this.#items.set(item.key, item);
    share.items.set(item.key, item);
    share.bytes += item.bytes;
    this.#bytes += item.bytes;
    while (share.bytes > this.#maxShare) this.#deleteFirst(share.items);
    while (this.#bytes > this.#maxBytes) this.#deleteFirst(this.#items);
  }

  delete(key: string): void {
    const item = this.#items.get(key);
    if (!item) return;
    this.#items.delete(key);
    this.#bytes -= item.bytes;
    const share = this.#shares.get(item.organizationId);
    if (!share) return;
    share.items.delete(key);
    share.bytes -= item.bytes;
    if (share.items.size === 0) this.#shares.delete(item.organizationId);
  }

  #deleteFirst(items: ReadonlyMap<string, Item>): void {
    const [first] = items.keys();
    if (first !== undefined) this.delete(first);
  }
}
