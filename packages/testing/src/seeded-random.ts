import { randomInt } from 'node:crypto';

/**
 * Returns a generator of random numbers from 0 to 1. Prints its seed. A run with this seed in TOCSIN_TEST_SEED gets the
 * same numbers.
 */
export function seededRandom(test: string): () => number {
  const seed = Number(process.env.TOCSIN_TEST_SEED ?? randomInt(2 ** 31));
  console.info(`${test}: TOCSIN_TEST_SEED=${seed}`);
  return randomOf(seed);
}

/** Returns a generator of random numbers from 0 to 1. The same seed results in the same numbers. */
export function randomOf(seed: number): () => number {
  // Algorithm: Mulberry32 (public domain, Tommy Ettinger).
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
