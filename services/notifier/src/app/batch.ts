interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface Batch<Item> {
  /**
   * Adds an item. The promise resolves when the item is done. If the batch fails, each item runs alone, and the promise
   * rejects only if this item fails.
   */
  add(item: Item): Promise<void>;
}

/**
 * Does the work for many items at once. The first item runs immediately. Items that are added while a batch runs form
 * the next batch.
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
      // Run each item alone, so that a failing item does not fail the others.
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
