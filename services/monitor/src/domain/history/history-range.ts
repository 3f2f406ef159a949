const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Ranges of statistics, in hours. */
export const RANGE_HOURS = [1, 6, 24, 168, 720, 2160] as const;
export type RangeHours = (typeof RANGE_HOURS)[number];

/** A time span from `from` (inclusive) to `to` (exclusive). */
export interface Span {
  readonly from: Date;
  readonly to: Date;
}

/**
 * A part of a span, with the source of its counts: daily counts, hourly counts, or single results that are not counted
 * yet.
 */
export interface Piece extends Span {
  readonly source: 'days' | 'hours' | 'results';
}

/**
 * Returns the span of a range that ends at `now`. A range of more than a day starts at a full hour, so that it can be
 * read from hourly counts.
 */
export function spanOf(hours: RangeHours, now: Date): Span {
  const start = now.getTime() - hours * HOUR_MS;
  return { from: new Date(hours > 24 ? floor(start, HOUR_MS) : start), to: now };
}

/**
 * Divides a span into pieces that don't overlap and have the coarsest possible source. The hours and days that end at
 * or before `rolledTo` have been counted.
 */
export function piecesOf({ from, to }: Span, rolledTo: Date): Piece[] {
  const [start, end] = [from.getTime(), to.getTime()];
  const counted = Math.min(rolledTo.getTime(), floor(end, HOUR_MS));
  const firstHour = ceil(start, HOUR_MS);
  if (firstHour >= counted) return some([['results', start, end]]);
  const firstDay = Math.min(ceil(firstHour, DAY_MS), counted);
  const lastDay = Math.max(firstDay, floor(counted, DAY_MS));
  return some([
    ['results', start, firstHour],
    ['hours', firstHour, firstDay],
    ['days', firstDay, lastDay],
    ['hours', lastDay, counted],
    ['results', counted, end],
  ]);
}

function some(pieces: readonly [Piece['source'], number, number][]): Piece[] {
  return pieces
    .filter(([, from, to]) => from < to)
    .map(([source, from, to]) => ({ source, from: new Date(from), to: new Date(to) }));
}

export function floorToHour(time: Date): Date {
  return new Date(floor(time.getTime(), HOUR_MS));
}

/** Returns the start of the UTC day that contains a time. */
export function floorToDay(time: Date): Date {
  return new Date(floor(time.getTime(), DAY_MS));
}

function floor(time: number, step: number): number {
  return Math.floor(time / step) * step;
}

function ceil(time: number, step: number): number {
  return Math.ceil(time / step) * step;
}
