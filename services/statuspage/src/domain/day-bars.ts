import { type ComponentStatus, severityOf } from '@tocsin/enums';
import { isKnownStatus, type ShownStatus } from './shown-status.ts';

/** Period in which a component showed a status. */
export interface StatusInterval {
  readonly status: ShownStatus;
  readonly startedAt: Date;
  /** End; undefined while the component has the status. */
  readonly endedAt: Date | undefined;
}

/**
 * Period in which a disruption affected a component before the disruption was recorded. The component's intervals do
 * not contain this period, because the page did not show the disruption at that time.
 */
export interface EnteredTime {
  readonly status: ComponentStatus;
  /** Whether the system recorded the disruption because a monitor is down, not a person. */
  readonly isAutomatic: boolean;
  readonly startedAt: Date;
  readonly endedAt: Date;
}

/** Statuses of a component on one day in UTC. */
export interface DayBar {
  /** Midnight at which the day begins. */
  readonly date: Date;
  /** Worst status of the day. An unknown status counts only if nothing else is known about the day. */
  readonly status: ShownStatus;
  /** Milliseconds with each status. Absent statuses did not occur. */
  readonly times: ReadonlyMap<ShownStatus, number>;
  /** The part of `times` in which the status of the component was known. Only this part counts for the uptime. */
  readonly counted: ReadonlyMap<ShownStatus, number>;
}

const DAY_MS = 24 * 3_600_000;

export interface BarOptions {
  readonly days: number;
  readonly now: Date;
  /** First day that counts, as `2026-11-20`. Earlier days have the status `no_data`. */
  readonly startDate?: string | undefined;
}

/**
 * Returns the last `days` days in UTC, oldest first. The last one is the current day until `now`. If an interval and
 * entered times overlap, the worst of their statuses counts, except that automatic entered times do not count during a
 * maintenance. Times that none of them covers have the status `no_data`.
 */
export function dayBars(
  intervals: readonly StatusInterval[],
  entered: readonly EnteredTime[],
  { days, now, startDate }: BarOptions,
): DayBar[] {
  const end = now.getTime();
  const start = (Math.floor(end / DAY_MS) - days + 1) * DAY_MS;
  const first = startDate === undefined ? start : Math.max(start, Date.parse(startDate));
  const midnights = Array.from({ length: days }, (_, day) => start + day * DAY_MS);
  // Entered times do not count as observed. Otherwise an entered outage alone would determine the uptime of a day
  // without other data.
  const observed = intervals.map((interval) => ({
    ...interval,
    isObserved: isKnownStatus(interval.status),
    isAutomatic: false,
  }));
  const spans = [...observed, ...entered.map((time) => ({ ...time, isObserved: false }))].map(
    ({ startedAt, endedAt, ...span }) => ({
      ...span,
      from: Math.max(startedAt.getTime(), first),
      to: Math.min(endedAt?.getTime() ?? end, end),
    }),
  );
  // Each span adds two entries: `change` is 1 at its start and -1 at its end. The sum of a status's changes up to a
  // time is the number of spans that have the status at that time.
  const changes = spans
    .filter(({ from, to }) => from < to)
    .flatMap(({ from, to, ...span }) => [
      { ...span, time: from, change: 1 },
      { ...span, time: to, change: -1 },
    ]);
  const midnight = { status: undefined, isObserved: false, isAutomatic: false, change: 0 };
  const moments = [...midnights.map((time) => ({ ...midnight, time })), ...changes];
  moments.sort((a, b) => a.time - b.time);

  const current = new Map<ShownStatus, number>();
  /** Statuses of automatic entered times. */
  const automatic = new Map<ShownStatus, number>();
  let observations = 0;
  let maintenances = 0;
  const sums = midnights.map(() => ({
    times: new Map<ShownStatus, number>(),
    counted: new Map<ShownStatus, number>(),
  }));
  for (const [index, { time, status, isObserved, isAutomatic, change }] of moments.entries()) {
    if (isObserved) observations += change;
    if (isObserved && status === 'under_maintenance') maintenances += change;
    const counts = isAutomatic ? automatic : current;
    if (status !== undefined) counts.set(status, (counts.get(status) ?? 0) + change);
    const length = (moments[index + 1]?.time ?? end) - time;
    if (length <= 0) continue;
    // If a monitor is still down at the end of a maintenance, its disruption is recorded then, but begins when the
    // monitor went down.
    const counted = maintenances > 0 ? [...current] : [...current, ...automatic];
    const worst = worstShown(counted.flatMap(([one, count]) => (count > 0 ? [one] : [])));
    const day = sums[Math.floor((time - start) / DAY_MS)];
    day?.times.set(worst, (day.times.get(worst) ?? 0) + length);
    if (observations > 0) day?.counted.set(worst, (day.counted.get(worst) ?? 0) + length);
  }
  return sums.map((day, index) => ({
    date: new Date(midnights[index] ?? 0),
    status: worstShown(day.times.keys()),
    ...day,
  }));
}

/**
 * Returns the uptime in percent. Major outages count completely as downtime, and partial outages count with 30 % of
 * their duration. Degraded performance and maintenance count as uptime. Returns undefined if less than a day counts,
 * because a short outage would then look like a long one.
 */
export function uptimeOf(bars: readonly DayBar[]): number | undefined {
  const sum = (wanted: (status: ShownStatus) => boolean) =>
    bars.flatMap(({ counted }) => [...counted]).reduce((total, [status, ms]) => total + (wanted(status) ? ms : 0), 0);
  const known = sum(isKnownStatus);
  if (known < DAY_MS) return undefined;
  const lost = sum((status) => status === 'major_outage') + 0.3 * sum((status) => status === 'partial_outage');
  return 100 * (1 - lost / known);
}

function worstShown(statuses: Iterable<ShownStatus>): ShownStatus {
  let worst: ShownStatus = 'no_data';
  for (const status of statuses) {
    if (rankOf(status) > rankOf(worst)) worst = status;
  }
  return worst;
}

function rankOf(status: ShownStatus): number {
  if (status === 'no_data') return -2;
  return status === 'not_monitored' ? -1 : severityOf(status);
}

/** Returns whether any time of the days counts for the uptime. */
export function hasCounted(bars: readonly DayBar[]): boolean {
  return bars.some(({ counted }) => [...counted].some(([status, ms]) => isKnownStatus(status) && ms > 0));
}
