import { FairQueue } from '@tocsin/runtime';

export interface WorkerPoolOptions<Item> {
  /** Maximum number of concurrent items. */
  readonly slots: number;
  /**
   * Maximum number of concurrent items that started less than `STARTING_MS` ago. Items that started earlier are assumed
   * to wait for the network.
   */
  readonly starting: number;
  /** Maximum fraction of the slots that one tenant may use, from 0 to 1. */
  readonly tenantShare: number;
  /** Runs an item. Must not throw. */
  readonly work: (item: Item) => Promise<void>;
  /** Called when an item starts, ends, or is removed. */
  readonly onChange: () => void;
}

/** Milliseconds after which a running item is assumed to wait for the network, so that another item may start. */
const STARTING_MS = 1_000;

/** Maximum fraction of the starting items that may belong to one tenant. */
const STARTING_SHARE = 0.5;

interface Running {
  readonly tenant: string;
  isStarting: boolean;
}

/**
 * Runs items in a bounded number of slots, serving tenants in turn. With more than one slot, no tenant can use all of
 * them, regardless of how long its items take.
 */
export class WorkerPool<Item> {
  readonly #options: WorkerPoolOptions<Item>;
  readonly #queue = new FairQueue<Item>();
  readonly #running = new Map<Promise<void>, Running>();
  readonly #held = new Map<string, number>();
  readonly #starting = new Map<string, number>();
  #startingCount = 0;

  constructor(options: WorkerPoolOptions<Item>) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  get running(): number {
    return this.#running.size;
  }

  add(tenant: string, item: Item): void {
    this.#queue.add(tenant, item);
    this.#start();
  }

  /** Removes and returns the waiting items for which `matches` is true. */
  remove(matches: (item: Item) => boolean = () => true): Item[] {
    const removed = this.#queue.removeAll(matches);
    if (removed.length > 0) this.#options.onChange();
    return removed;
  }

  /** Resolves when no item is running. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.keys());
  }

  #start(): void {
    const { slots, starting, tenantShare, work, onChange } = this.#options;
    const heldAtMost = Math.max(1, Math.floor(slots * tenantShare));
    const startingAtMost = Math.max(1, Math.floor(starting * STARTING_SHARE));
    const isEligible = (tenant: string) =>
      (this.#held.get(tenant) ?? 0) < heldAtMost && (this.#starting.get(tenant) ?? 0) < startingAtMost;
    while (this.#running.size < slots && this.#startingCount < starting) {
      const next = this.#queue.take(isEligible);
      if (!next) break;
      this.#run(next.tenant, work(next.item));
    }
    onChange();
  }

  #run(tenant: string, work: Promise<void>): void {
    const running: Running = { tenant, isStarting: true };
    this.#startingCount += 1;
    increment(this.#held, tenant);
    increment(this.#starting, tenant);
    const timer = setTimeout(() => {
      this.#endStarting(running);
      this.#start();
    }, STARTING_MS);
    const ended = work.finally(() => {
      clearTimeout(timer);
      this.#running.delete(ended);
      decrement(this.#held, tenant);
      this.#endStarting(running);
      this.#start();
    });
    this.#running.set(ended, running);
  }

  #endStarting(running: Running): void {
    if (!running.isStarting) return;
    running.isStarting = false;
    this.#startingCount -= 1;
    decrement(this.#starting, running.tenant);
  }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function decrement(counts: Map<string, number>, key: string): void {
  const count = (counts.get(key) ?? 0) - 1;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
