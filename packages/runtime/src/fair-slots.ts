import { FairQueue } from './fair-queue.ts';

export interface FairSlotsOptions {
  /** Maximum number of tasks that run concurrently. */
  readonly slots: number;
  /** Maximum number of one tenant's tasks that run concurrently. */
  readonly perTenant: number;
  /**
   * Maximum number of one tenant's tasks that run concurrently if another tenant has tasks, or added one within the
   * last ten seconds. Defaults to `perTenant`.
   */
  readonly perTenantOfSeveral?: number;
  /** Maximum number of one tenant's tasks that wait for a slot. */
  readonly waitingPerTenant: number;
  /** Maximum number of tasks that wait for a slot. */
  readonly waiting: number;
}

/** How long a tenant counts as present after its last task was added, in milliseconds. */
const PRESENT_MS = 10_000;

/** Thrown if the maximum number of waiting tasks is reached, either for one tenant or in total. */
export class SlotsFullError extends Error {
  override readonly name = 'SlotsFullError';
}

/**
 * Runs tasks in a bounded number of slots. Waiting tenants are served in turn, and tenants without a running task come
 * first. Their tasks therefore do not wait for the queued tasks of a tenant that already uses slots.
 */
export class FairSlots {
  readonly #options: FairSlotsOptions;
  readonly #queue = new FairQueue<() => void>();
  readonly #running = new Map<string, number>();
  readonly #waiting = new Map<string, number>();
  /** Times at which the present tenants added their last tasks, oldest first. */
  readonly #present = new Map<string, number>();
  readonly #now: () => number;
  #used = 0;

  /** @param now Returns a time in milliseconds. */
  constructor(options: FairSlotsOptions, now = () => performance.now()) {
    this.#options = options;
    this.#now = now;
  }

  get running(): number {
    return this.#used;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * Runs a task when a slot is free, and returns its result.
   * @throws SlotsFullError if too many tasks wait.
   */
  async run<Result>(tenant: string, task: () => Promise<Result>): Promise<Result> {
    await this.#enter(tenant);
    try {
      return await task();
    } finally {
      this.#leave(tenant);
    }
  }

  async #enter(tenant: string): Promise<void> {
    const { waitingPerTenant, waiting } = this.#options;
    this.#updatePresent(tenant);
    // This task does not overtake a waiting task. If a slot is free, every tenant with a waiting task already runs its
    // maximum number of tasks.
    if (this.#hasSlotFor(tenant)) return this.#take(tenant);
    if (this.#queue.size >= waiting || (this.#waiting.get(tenant) ?? 0) >= waitingPerTenant) {
      throw new SlotsFullError('too many requests wait; try again');
    }
    const turn = Promise.withResolvers<void>();
    add(this.#waiting, tenant, 1);
    this.#queue.add(tenant, turn.resolve);
    return turn.promise;
  }

  #leave(tenant: string): void {
    this.#used -= 1;
    add(this.#running, tenant, -1);
    this.#startNext();
  }

  #startNext(): void {
    while (this.#used < this.#options.slots) {
      const next = this.#queue.take((tenant) => !this.#running.has(tenant)) ?? this.#queue.take(this.#hasSlotFor);
      if (!next) return;
      add(this.#waiting, next.tenant, -1);
      this.#take(next.tenant);
      next.item();
    }
  }

  readonly #hasSlotFor = (tenant: string): boolean => {
    const { slots, perTenant, perTenantOfSeveral = perTenant } = this.#options;
    const share = this.#isAlone(tenant) ? perTenant : perTenantOfSeveral;
    return this.#used < slots && (this.#running.get(tenant) ?? 0) < share;
  };

  #isAlone(tenant: string): boolean {
    return !(hasOther(this.#present, tenant) || hasOther(this.#running, tenant) || hasOther(this.#waiting, tenant));
  }

  #updatePresent(tenant: string): void {
    const now = this.#now();
    this.#present.delete(tenant);
    this.#present.set(tenant, now);
    for (const [oldest, at] of this.#present) {
      if (now - at < PRESENT_MS) break;
      this.#present.delete(oldest);
    }
    // When other tenants are no longer present, the remaining tenant may use more slots, so waiting tasks may start.
    this.#startNext();
  }

  #take(tenant: string): void {
    this.#used += 1;
    add(this.#running, tenant, 1);
  }
}

function hasOther(tenants: ReadonlyMap<string, number>, tenant: string): boolean {
  return tenants.size > (tenants.has(tenant) ? 1 : 0);
}

function add(counts: Map<string, number>, tenant: string, change: number): void {
  const count = (counts.get(tenant) ?? 0) + change;
  if (count > 0) counts.set(tenant, count);
  else counts.delete(tenant);
}
