import { WorkerPool, type WorkerPoolOptions } from './worker-pool.ts';

/** A check, with the fields that determine its tenant and its lane (the pool of slots in which it runs). */
export interface LaneItem {
  readonly tenant: string;
  readonly monitorId: string;
  /** Whether the check needs a browser. */
  readonly isSynthetic: boolean;
}

export interface CheckLanesOptions<Item> {
  /** Maximum number of concurrent checks without a browser, in each lane. */
  readonly concurrency: number;
  /** Maximum number of concurrent browsers, in each lane. */
  readonly browsers: number;
  /** Runs a check. Must not throw. */
  readonly work: (item: Item) => Promise<void>;
  readonly onChange: () => void;
}

/**
 * Maximum number of checks without a browser that start at the same time. With a higher number, response times would
 * measure the load of the checker instead of the target.
 */
const STARTING = 200;

/**
 * Maximum fractions of a lane's slots that one organization may use: first for checks without a browser, then for
 * checks with a browser.
 */
const SOCKET_SHARE = 0.25;
const BROWSER_SHARE = 0.5;

/** A check that took at least this long runs in the slow lane next time. */
const SLOW_SOCKET_MS = 5_000;
const SLOW_BROWSER_MS = 30_000;

/** Maximum number of remembered monitors whose last check was slow; the oldest are removed first. */
const MAX_REMEMBERED = 100_000;

/**
 * Runs checks in four lanes, each with its own slots: checks with a browser and checks without one have separate lanes,
 * and each kind has an additional slow lane for monitors whose last check was slow. Slow checks therefore use no slots
 * of fast checks.
 */
export class CheckLanes<Item extends LaneItem> {
  readonly #pools: { readonly [Kind in 'plain' | 'synthetic']: { fast: WorkerPool<Item>; slow: WorkerPool<Item> } };
  readonly #all: readonly WorkerPool<Item>[];
  readonly #slow = new Set<string>();

  constructor({ concurrency, browsers, work, onChange }: CheckLanesOptions<Item>) {
    const timed = async (item: Item) => {
      const startedAt = performance.now();
      await work(item);
      this.#remember(item, performance.now() - startedAt);
    };
    const pool = (options: Pick<WorkerPoolOptions<Item>, 'slots' | 'starting' | 'tenantShare'>) =>
      new WorkerPool({ ...options, work: timed, onChange });
    const plain = { slots: concurrency, starting: Math.min(concurrency, STARTING), tenantShare: SOCKET_SHARE };
    const synthetic = { slots: browsers, starting: browsers, tenantShare: BROWSER_SHARE };
    this.#pools = {
      plain: { fast: pool(plain), slow: pool(plain) },
      synthetic: { fast: pool(synthetic), slow: pool(synthetic) },
    };
    this.#all = Object.values(this.#pools).flatMap(({ fast, slow }) => [fast, slow]);
  }

  get waiting(): number {
    return this.#all.reduce((sum, { waiting }) => sum + waiting, 0);
  }

  get running(): number {
    return this.#all.reduce((sum, { running }) => sum + running, 0);
  }

  add(item: Item): void {
    const { fast, slow } = this.#pools[item.isSynthetic ? 'synthetic' : 'plain'];
    (this.#slow.has(item.monitorId) ? slow : fast).add(item.tenant, item);
  }

  /** Removes and returns the waiting items for which `matches` is true. */
  remove(matches?: (item: Item) => boolean): Item[] {
    return this.#all.flatMap((pool) => pool.remove(matches));
  }

  /** Resolves when no check is running. */
  async idle(): Promise<void> {
    await Promise.all(this.#all.map((pool) => pool.idle()));
  }

  #remember({ monitorId, isSynthetic }: Item, tookMs: number): void {
    this.#slow.delete(monitorId);
    if (tookMs < (isSynthetic ? SLOW_BROWSER_MS : SLOW_SOCKET_MS)) return;
    this.#slow.add(monitorId);
    if (this.#slow.size > MAX_REMEMBERED) this.#slow.delete(this.#slow.values().next().value ?? '');
  }
}
