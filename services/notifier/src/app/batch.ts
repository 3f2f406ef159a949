interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface Batch<Item> {
  /** Adds an item, and returns when the work on it has ended. Rejects with the error of the work on it alone. */
  add(item: Item): Promise<void>;
}

/**
 * Does the work for many items at once. The first item starts a batch; those that are added while it runs are the next
 * one, so no item waits for others while there is nothing to do.
 */
export function createBatch<Item>(work: (items: readonly Item[]) => Promise<void>, max: number): Batch<Item> {
  const waiting: Waiting<Item>[] = [];
  let isRunning = false;

  async function runAll(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) await run(waiting.splice(0, max));
    isRunning = false;
  }

  async function run(batch: readonly Waiting<Item>[]): Promise<void> {
    try {
      await work(batch.map(({ item }) => item));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      const [first, ...others] = batch;
      if (others.length === 0) first?.reject(error);
      // One item that fails must not keep the others from being done.
      else for (const one of batch) await run([one]);
    }
  }

  return {
    add(item) {
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        if (!isRunning) void runAll();
      });
    },
  };
}
