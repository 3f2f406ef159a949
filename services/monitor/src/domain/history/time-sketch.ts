/**
 * A sketch of how long checks took: logarithmic buckets with a count each, after DDSketch (Masson, Rim, Lee, VLDB
 * 2019). It is small, sketches add up by adding counts, and every quantile of it is within RELATIVE_ERROR of the exact
 * one.
 */
export type TimeSketch = ReadonlyMap<number, number>;

export const RELATIVE_ERROR = 0.02;

/** How much wider each bucket is than the one before. */
const GAMMA = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR);

export const LN_GAMMA = Math.log(GAMMA);

/** What is faster counts as this; milliseconds. */
export const SHORTEST_MS = 0.001;

/** The bucket of a time: bucket n holds what is above GAMMA^(n-1) and at most GAMMA^n milliseconds. */
export function bucketOf(milliseconds: number): number {
  return Math.ceil(Math.log(Math.max(milliseconds, SHORTEST_MS)) / LN_GAMMA);
}

/** The time that stands for a bucket: no further than RELATIVE_ERROR from everything in it. */
function timeOf(bucket: number): number {
  return (2 * GAMMA ** bucket) / (GAMMA + 1);
}

/** The lower `q`-quantile in milliseconds, 0 < q < 1; undefined for an empty sketch. */
export function quantileOf(sketch: TimeSketch, q: number): number | undefined {
  const count = countOf(sketch);
  const rank = Math.floor(q * (count - 1));
  let below = 0;
  for (const [bucket, n] of [...sketch].sort(([a], [b]) => a - b)) {
    below += n;
    if (below > rank) return timeOf(bucket);
  }
  return undefined;
}

/** How many times a sketch holds. */
export function countOf(sketch: TimeSketch): number {
  return sketch.values().reduce((sum, n) => sum + n, 0);
}
