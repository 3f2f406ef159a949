import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { FieldErrorCollector } from '@tocsin/errors';
import { Type } from 'typebox';

const YEAR = '(19|2\\d)\\d\\d';
const DAY = '(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])';
const TIME = '([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,9})?)?';
const OFFSET = '(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)';
const FORMAT = new RegExp(`^${YEAR}-${DAY}T${TIME}${OFFSET}$`);
const INVALID = 'must be an ISO 8601 timestamp such as 2026-11-20T10:00:00Z';

/** Schema of a time in a request: ISO 8601 with an offset from UTC. */
export const Moment = Type.String({
  maxLength: 35,
  pattern: FORMAT.source,
  'x-pattern-message': explain,
  description: 'ISO 8601 with an offset; from 1900 to 2999',
  examples: ['2026-11-20T10:00:00Z'],
});

/**
 * Parses the times in a body, and returns them by field. Leaves out fields that are absent or null, and those that the
 * schema refuses, which it reports itself.
 * @throws ServiceError `invalid` for dates that do not exist.
 */
export function momentsOf<Field extends string>(
  sent: Readonly<Record<Field, string | null | undefined>>,
): Partial<Record<Field, Timestamp>> {
  const problems = new FieldErrorCollector();
  const moments: Partial<Record<Field, Timestamp>> = {};
  for (const field of Object.keys(sent) as Field[]) {
    const text = sent[field];
    if (text === undefined || text === null || !FORMAT.test(text)) continue;
    if (!isDay(text.slice(0, 10))) problems.add(field, INVALID);
    else moments[field] = timestampFromDate(new Date(text));
  }
  problems.throwIfAny();
  return moments;
}

/** Returns the reason why a string is not a valid time. */
function explain(text: string): string {
  if (new RegExp(`^[+-]?\\d{4,6}-${DAY}T${TIME}${OFFSET}$`).test(text))
    return 'must be between the years 1900 and 2999';
  if (new RegExp(`^${YEAR}-${DAY}T${TIME}[+-]\\d\\d(\\d\\d)?$`).test(text)) {
    return 'must have an offset with hours and minutes, such as +02:00';
  }
  if (new RegExp(`^${YEAR}-${DAY}T${TIME}$`).test(text)) return 'must have an offset, such as Z or +02:00';
  return INVALID;
}

/** Returns whether the date exists. Date would accept February 30 as March 2. */
function isDay(date: string): boolean {
  return new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
}
