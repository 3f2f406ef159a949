const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How far back statistics reach, in hours (spec: Monitors, Uptime). */
export const RANGE_HOURS = [1, 6, 24, 168, 720, 2160] as const;
export type RangeHours = (typeof RANGE_HOURS)[number];

/** From this on, `from` included, up to that, `to` excluded. */
export interface Span {
  readonly from: Date;
  readonly to: Date;
}

/** A part of a span, and where its results are counted already: in days, in hours, or nowhere yet. */
export interface Piece extends Span {
  readonly source: 'days' | 'hours' | 'results';
}

/**
 * What a range means at a moment. One of several days begins with a full hour, so that no single result has to be read
 * for it.
 */
export function spanOf(hours: RangeHours, now: Date): Span {
  const start = now.getTime() - hours * HOUR_MS;
  return { from: new Date(hours > 24 ? floor(start, HOUR_MS) : start), to: now };
}

/**
 * Divides a span so that every moment of it is in one piece and each piece is as coarse as can be. Hours before
 * `rolledTo` are counted, and so are the days before it.
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

/** Days are UTC. */
export function floorToDay(time: Date): Date {
  return new Date(floor(time.getTime(), DAY_MS));
}

function floor(time: number, step: number): number {
  return Math.floor(time / step) * step;
}

function ceil(time: number, step: number): number {
  return Math.ceil(time / step) * step;
}
