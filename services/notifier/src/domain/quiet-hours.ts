/** Daily period in which a channel gets no messages, in the local time of a time zone. */
export interface QuietHours {
  /** Start as `HH:MM`. */
  readonly from: string;
  /** End as `HH:MM`, different from `from`. An end before `from` is on the next day. */
  readonly to: string;
  /** Name in the IANA time zone database. */
  readonly timeZone: string;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
const WALL_CLOCK = /^([01]\d|2[0-3]):[0-5]\d$/;
const MAX_TIME_ZONE = 64;

/** Returns the problems of quiet hours, by field. */
export function problemsOfQuietHours({ from, to, timeZone }: QuietHours): Map<string, string> {
  const problems = new Map<string, string>();
  if (!WALL_CLOCK.test(from)) problems.set('from', 'must be a time such as 22:00');
  if (!WALL_CLOCK.test(to)) problems.set('to', 'must be a time such as 07:00');
  else if (to === from) problems.set('to', 'must differ from quiet_hours.from');
  if (!isTimeZone(timeZone)) problems.set('time_zone', 'must be a time zone such as Europe/Berlin');
  return problems;
}

/**
 * Returns the end of the quiet hours that contain `now`; undefined if `now` is outside of quiet hours. Quiet hours are
 * local times, so they are shorter or longer on the day of a clock change. A local time that occurs twice is quiet both
 * times.
 */
export function quietUntil(quietHours: QuietHours, now: Date): Date | undefined {
  const { from, to, timeZone } = quietHours;
  const [start, end] = [minutesOf(from), minutesOf(to)];
  const isQuiet = (minute: number) => (start < end ? start <= minute && minute < end : minute >= start || minute < end);
  const clock = clockOf(timeZone);
  let minute = minuteOfDay(now, clock);
  if (!isQuiet(minute)) return undefined;
  let time = Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS;
  while (isQuiet(minute)) {
    const left = (end - minute + DAY_MINUTES) % DAY_MINUTES;
    // A clock change may skip up to two hours, so search the last two hours minute by minute.
    time += Math.max(1, left - 120) * MINUTE_MS;
    minute = minuteOfDay(new Date(time), clock);
  }
  return new Date(time);
}

function isTimeZone(text: string): boolean {
  if (text === '' || text.length > MAX_TIME_ZONE || !/^[A-Za-z]/.test(text)) return false;
  try {
    clockOf(text);
    return true;
  } catch {
    return false;
  }
}

function minuteOfDay(at: Date, clock: Intl.DateTimeFormat): number {
  return minutesOf(clock.format(at));
}

function minutesOf(clock: string): number {
  const [hours, minutes] = clock.split(':').map(Number);
  return (hours ?? 0) * 60 + (minutes ?? 0);
}

/**
 * Returns a formatter for the hour and the minute in a time zone.
 * @throws RangeError for an unknown time zone.
 */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
}
