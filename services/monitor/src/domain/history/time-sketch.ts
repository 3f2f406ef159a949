/**
 * A compact distribution of response times: the count of each logarithmic bucket, after DDSketch (Masson, Rim, Lee,
 * VLDB 2019). Sketches are merged by adding their counts. The relative error of a quantile is at most RELATIVE_ERROR.
 */
export type TimeSketch = ReadonlyMap<number, number>;

export const RELATIVE_ERROR = 0.02;

/** Ratio of the widths of successive buckets. */
const GAMMA = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR);

export const LN_GAMMA = Math.log(GAMMA);

/** Lower bound of response times, in milliseconds; shorter times count as this time. */
export const SHORTEST_MS = 0.001;

/** Returns the bucket of a time. Bucket n holds times above GAMMA^(n-1) and up to GAMMA^n milliseconds. */
export function bucketOf(milliseconds: number): number {
  return Math.ceil(Math.log(Math.max(milliseconds, SHORTEST_MS)) / LN_GAMMA);
}

/**
 * Returns the time in milliseconds that represents a bucket; it differs from each time in the bucket by at most
 * RELATIVE_ERROR.
 */
function timeOf(bucket: number): number {
  return (2 * GAMMA ** bucket) / (GAMMA + 1);
}

/** Returns the lower `q`-quantile in milliseconds, 0 < q < 1; undefined for an empty sketch. */
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

/** Returns the number of response times in a sketch. */
export function countOf(sketch: TimeSketch): number {
  return sketch.values().reduce((sum, n) => sum + n, 0);
}
