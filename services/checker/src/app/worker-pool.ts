import { FairQueue } from '../domain/fair-queue.ts';

/** Work that waits for its turn, and that which is going on. */
export interface WorkerPool<Item> {
  readonly waiting: number;
  readonly running: number;
  add(tenant: string, item: Item): void;
  /** Takes everything that has not begun. */
  giveBack(): Item[];
  /** Answers when nothing is going on. */
  allEnded(): Promise<void>;
}

/**
 * Lets so much work go on at once, the tenants taking turns. `work` must not throw; `onMove` hears when something
 * begins, ends or is given back.
 */
export function createWorkerPool<Item>(
  atOnce: number,
  work: (item: Item) => Promise<void>,
  onMove: () => void,
): WorkerPool<Item> {
  const queue = new FairQueue<Item>();
  const running = new Set<Promise<void>>();

  function begin(): void {
    while (running.size < atOnce) {
      const item = queue.take();
      if (item === undefined) break;
      const going = work(item).finally(() => {
        running.delete(going);
        begin();
      });
      running.add(going);
    }
    onMove();
  }

  return {
    get waiting() {
      return queue.size;
    },
    get running() {
      return running.size;
    },
    add(tenant, item) {
      queue.add(tenant, item);
      begin();
    },
    giveBack() {
      const items: Item[] = [];
      for (let item = queue.take(); item !== undefined; item = queue.take()) items.push(item);
      onMove();
      return items;
    },
    async allEnded() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
