import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { FieldErrorCollector } from '@tocsin/errors';
import { Type } from 'typebox';

const DATE = '(19|2\\d)\\d\\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])';
const TIME = '([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,9})?)?';
const OFFSET = '(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)';
const WORDS = 'must be an ISO 8601 timestamp such as 2026-11-20T10:00:00Z';

/** A time that a caller sends: ISO 8601 with an offset, so that nobody has to guess whose clock it is. */
export const Moment = Type.String({
  pattern: `^${DATE}T${TIME}${OFFSET}$`,
  'x-pattern-words': WORDS,
  description: 'ISO 8601 with an offset',
  examples: ['2026-11-20T10:00:00Z'],
});

/**
 * Moments of a body, by the name of their field; what was not sent, or is null, is absent.
 * @throws ServiceError `invalid` for days that the calendar does not have.
 */
export function momentsOf<Field extends string>(
  sent: Readonly<Record<Field, string | null | undefined>>,
): Partial<Record<Field, Timestamp>> {
  const problems = new FieldErrorCollector();
  const moments: Partial<Record<Field, Timestamp>> = {};
  for (const field of Object.keys(sent) as Field[]) {
    const text = sent[field];
    if (text === undefined || text === null) continue;
    if (!isDay(text.slice(0, 10))) problems.add(field, WORDS);
    else moments[field] = timestampFromDate(new Date(text));
  }
  problems.throwIfAny();
  return moments;
}

/** February 30 has the right form, and would pass for March 2. */
function isDay(date: string): boolean {
  return new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
}
