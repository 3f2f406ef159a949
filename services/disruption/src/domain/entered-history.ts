import { type DisruptionType, MAX_ENTERED_BYTES, MAX_UPDATES } from '@tocsin/enums';
import type { FieldErrorCollector } from '@tocsin/errors';
import { problemOfProse } from '@tocsin/text';
import { type DisruptionStatus, type EndedStatus, isEnd, MAX_MESSAGE, STATUSES_OF } from './disruption.ts';

/** A timeline entry that a request describes. */
export interface EnteredUpdate {
  readonly id: string;
  /** Status; undefined if the request has none. */
  readonly status: DisruptionStatus | undefined;
  /** Text; empty if the request has none. */
  readonly message: string;
  /** Time of posting; undefined if the request has none. */
  readonly postedAt: Date | undefined;
}

/** Fields of a request that describe the course of a new disruption. */
export interface EnteredHistory {
  readonly type: DisruptionType;
  /** Start. If it is undefined, historyOf() determines it. */
  readonly startedAt: Date | undefined;
  readonly status?: DisruptionStatus | undefined;
  readonly resolvedAt?: Date | undefined;
  /** Text of the first timeline entry if there are no `updates`. An empty text is replaced by a default text. */
  readonly message: string;
  /** Timeline entries that the request describes, oldest first. */
  readonly updates?: readonly EnteredUpdate[];
}

interface Entry {
  /** Id of an entry that the request describes; undefined for an entry that historyOf() adds. */
  readonly id: string | undefined;
  readonly status: DisruptionStatus;
  /** Text; empty for the default text for this status. */
  readonly message: string;
  readonly postedAt: Date;
}

/** Course of a new disruption: its start, its end and its timeline. */
export interface History {
  readonly startedAt: Date;
  readonly status: DisruptionStatus;
  /** End; undefined while the disruption is open. */
  readonly resolvedAt: Date | undefined;
  /** Timeline entries, oldest first; never empty. */
  readonly entries: readonly Entry[];
}

const END_OF: Readonly<Record<DisruptionType, EndedStatus>> = { disruption: 'resolved', maintenance: 'completed' };

/**
 * Returns the course that a request describes. A missing status is derived from `resolvedAt` and `updates`, a missing
 * start from the first entry whose status is not `scheduled`, and a missing end from the entry that ended the
 * disruption. If the last entry does not have the resulting status, an entry with this status is added.
 */
export function historyOf(wanted: EnteredHistory, now: Date): History {
  const { type, message } = wanted;
  const entered = (wanted.updates ?? []).map((update): Entry => {
    const status = update.status ?? statusAtFirst(type, now, now);
    return {
      id: update.id,
      status,
      message: update.message,
      postedAt: update.postedAt ?? now,
    };
  });
  const begun = entered.find(({ status }) => status !== 'scheduled');
  const startedAt = wanted.startedAt ?? begun?.postedAt ?? wanted.resolvedAt ?? now;
  const status = wanted.status ?? impliedStatus(wanted, entered.at(-1)?.status) ?? statusAtFirst(type, startedAt, now);
  const resolvedAt = isEnd(status) ? (wanted.resolvedAt ?? endOf(entered) ?? now) : undefined;
  const isComplete = entered.at(-1)?.status === status;
  const implied = { id: undefined, status, message, postedAt: resolvedAt ?? now };
  return { startedAt, status, resolvedAt, entries: isComplete ? entered : [...entered, implied] };
}

function impliedStatus({ type, resolvedAt }: EnteredHistory, last: DisruptionStatus | undefined) {
  if (resolvedAt && !(last && isEnd(last))) return END_OF[type];
  return last;
}

function statusAtFirst(type: DisruptionType, startedAt: Date, now: Date): DisruptionStatus {
  if (type === 'disruption') return 'investigating';
  return startedAt > now ? 'scheduled' : 'in_progress';
}

/**
 * Returns the time of the entry that last ended the disruption. Later entries that also have an ended status, such as a
 * final report, do not change the end.
 */
function endOf(entries: readonly Entry[]): Date | undefined {
  const lastOpen = entries.findLastIndex(({ status }) => !isEnd(status));
  return entries[lastOpen + 1]?.postedAt;
}

/**
 * Checks the status, times and updates of a new disruption, and adds an error for each invalid field under the field's
 * path in the API.
 */
export function checkHistory(wanted: EnteredHistory, now: Date, problems: FieldErrorCollector): void {
  const { type, updates = [] } = wanted;
  if (updates.length > MAX_UPDATES) {
    problems.add('updates', `must have at most ${MAX_UPDATES} items`);
    return;
  }
  if (updates.length > 0 && wanted.message) {
    problems.add('message', 'is not possible together with updates: send it as one of them');
  }
  const bytes = updates.reduce((sum, { message }) => sum + Buffer.byteLength(message), 0);
  if (bytes > MAX_ENTERED_BYTES) {
    problems.add('updates', `must have at most ${MAX_ENTERED_BYTES} bytes of messages in all, and has ${bytes}`);
  }
  const course = historyOf(wanted, now);
  updates.forEach((update, index) => {
    const path = `updates.${index}`;
    problems.add(`${path}.status`, update.status ? problemOfStatus(type, update.status) : 'is required');
    problems.add(`${path}.message`, problemOfProse(update.message, MAX_MESSAGE));
    problems.add(`${path}.posted_at`, problemOfPosting(update, updates[index - 1], course.startedAt, now));
  });
  problems.add('status', wanted.status && (problemOfStatus(type, wanted.status) ?? problemOfLast(wanted)));
  checkEnd(wanted, course, now, problems);
}

function problemOfStatus(type: DisruptionType, status: DisruptionStatus): string | undefined {
  const own = STATUSES_OF[type];
  return own.includes(status) ? undefined : `must be one of ${own.join(', ')}`;
}

/**
 * Returns an error if the status in a request contradicts the last entry. The two may differ only if the status in the
 * request ends the disruption.
 */
function problemOfLast({ status, updates }: EnteredHistory): string | undefined {
  const last = updates?.at(-1)?.status;
  if (!status || !last || isEnd(status) || status === last) return undefined;
  return `must be ${last}, the status of the last of updates`;
}

function problemOfPosting(
  { status, postedAt }: EnteredUpdate,
  before: EnteredUpdate | undefined,
  startedAt: Date,
  now: Date,
): string | undefined {
  if (!postedAt) return 'is required';
  if (postedAt > now) return 'must not be in the future';
  if (before?.postedAt && postedAt < before.postedAt)
    return 'must not be before that of the previous update: the oldest is first';
  // Only a maintenance announcement may be older than the start.
  return postedAt < startedAt && status !== 'scheduled' ? 'must not be before started_at' : undefined;
}

function checkEnd(
  { type, status, resolvedAt: sent, updates }: EnteredHistory,
  { startedAt, resolvedAt }: History,
  now: Date,
  problems: FieldErrorCollector,
): void {
  if (!sent) {
    if (resolvedAt && resolvedAt < startedAt) {
      problems.add('started_at', 'must not be in the future for what has ended');
    }
    return;
  }
  const last = updates?.at(-1);
  if (status && !isEnd(status)) problems.add('resolved_at', `is only possible with the status ${END_OF[type]}`);
  else if (sent > now) problems.add('resolved_at', 'must not be in the future');
  else if (sent < startedAt) problems.add('resolved_at', 'must not be before started_at');
  else if (last?.status && !isEnd(last.status) && last.postedAt && sent < last.postedAt) {
    problems.add('resolved_at', `must not be before the last of updates, which is ${last.status}`);
  }
}
