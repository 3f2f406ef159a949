export interface Slots {
  /** Whether one became free in time; whoever came first gets it first. */
  take(withinMs: number): Promise<boolean>;
  give(): void;
}

/** So many things at once, and a queue for the rest. */
export function createSlots(count: number): Slots {
  const queue: ((got: boolean) => void)[] = [];
  let free = count;
  return {
    take(withinMs) {
      if (free > 0) {
        free -= 1;
        return Promise.resolve(true);
      }
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          queue.splice(queue.indexOf(settle), 1);
          resolve(false);
        }, withinMs);
        const settle = (got: boolean) => {
          clearTimeout(timer);
          resolve(got);
        };
        queue.push(settle);
      });
    },
    give() {
      const next = queue.shift();
      if (next) next(true);
      else free += 1;
    },
  };
}
