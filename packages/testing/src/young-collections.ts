import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Returns the bytes of the heap that remain in use after `work`, if only the young generation is collected. What
 * remains although nothing needs it is freed by a full collection, which pauses a process for tens of milliseconds.
 */
export async function keptByYoungCollections(work: () => Promise<void>): Promise<number> {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as NodeJS.GCFunction;
  gc();
  const before = process.memoryUsage().heapUsed;
  await work();
  // An object that survives two collections is no longer young.
  gc({ type: 'minor' });
  gc({ type: 'minor' });
  return process.memoryUsage().heapUsed - before;
}
