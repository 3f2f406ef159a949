import { countOf, quantileOf, type TimeSketch } from './time-sketch.ts';

/** Number of a region's checks by outcome, without unknown outcomes. */
export interface Counts {
  readonly pass: number;
  readonly fail: number;
  readonly error: number;
  readonly timeout: number;
}

export interface Uptime {
  /** Mean of the regions' percentages of passed checks, rounded to two decimals; undefined without checks. */
  readonly percent: number | undefined;
  /** Number of checks by outcome, over all regions. */
  readonly distribution: Counts & { readonly total: number };
}

/** Returns the uptime from the counts of each region. */
export function uptimeOf(regions: readonly Counts[]): Uptime {
  const sum = (outcome: keyof Counts) => regions.reduce((total, counts) => total + counts[outcome], 0);
  const distribution = { pass: sum('pass'), fail: sum('fail'), error: sum('error'), timeout: sum('timeout') };
  const checked = regions.filter((counts) => totalOf(counts) > 0);
  return {
    percent: mean(
      checked.map((counts) => (100 * counts.pass) / totalOf(counts)),
      2,
    ),
    distribution: { ...distribution, total: totalOf(distribution) },
  };
}

export interface ResponseTimes {
  /** Mean of the regions' 95th percentiles in milliseconds, rounded to one decimal; undefined without data. */
  readonly p95: number | undefined;
  /** Response times of each region, slowest first. */
  readonly locations: readonly { readonly location: string; readonly p95: number; readonly checks: number }[];
}

/**
 * Returns the response times from the sketch of each region. Regions without passed checks are left
 * out.
 */
export function responseTimesOf(regions: ReadonlyMap<string, TimeSketch>): ResponseTimes {
  const exact = [...regions].flatMap(([location, sketch]) => {
    const p95 = quantileOf(sketch, 0.95);
    return p95 === undefined ? [] : [{ location, p95, checks: countOf(sketch) }];
  });
  const locations = exact
    .sort((a, b) => b.p95 - a.p95 || a.location.localeCompare(b.location))
    .map((entry) => ({ ...entry, p95: round(entry.p95, 1) }));
  return {
    p95: mean(
      exact.map((entry) => entry.p95),
      1,
    ),
    locations,
  };
}

function totalOf({ pass, fail, error, timeout }: Counts): number {
  return pass + fail + error + timeout;
}

function mean(values: readonly number[], decimals: number): number | undefined {
  if (values.length === 0) return undefined;
  return round(values.reduce((sum, value) => sum + value, 0) / values.length, decimals);
}

function round(value: number, decimals: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}
