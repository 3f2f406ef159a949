import { type DisruptionType, MAX_ENTERED_BYTES, MAX_UPDATES } from '@tocsin/enums';
import type { FieldErrorCollector } from '@tocsin/errors';
import { problemOfProse } from '@tocsin/text';
import { type DisruptionStatus, type EndedStatus, isEnd, MAX_MESSAGE, STATUSES_OF } from './disruption.ts';
import { DEFAULT_MESSAGES } from './words.ts';

/** A timeline entry of a request. */
export interface EnteredUpdate {
  readonly id: string;
  /** Undefined when none was sent. */
  readonly status: DisruptionStatus | undefined;
  /** Empty: a default text. */
  readonly message: string;
  /** Undefined when none was sent. */
  readonly postedAt: Date | undefined;
}

/** What a request says about the course of a new disruption. */
export interface EnteredHistory {
  readonly type: DisruptionType;
  /** Undefined: see historyOf(). */
  readonly startedAt: Date | undefined;
  readonly status?: DisruptionStatus | undefined;
  readonly resolvedAt?: Date | undefined;
  /** First entry of the timeline, unless there are `updates`; empty: a default text. */
  readonly message: string;
  /** The timeline so far, oldest first. */
  readonly updates?: readonly EnteredUpdate[];
}

interface Entry {
  /** Undefined for the entry that the request implies. */
  readonly id: string | undefined;
  readonly status: DisruptionStatus;
  readonly body: string;
  readonly postedAt: Date;
}

/** The course of a new disruption. */
export interface History {
  readonly startedAt: Date;
  readonly status: DisruptionStatus;
  /** Undefined exactly while it is open. */
  readonly resolvedAt: Date | undefined;
  /** Oldest first, at least one. */
  readonly entries: readonly Entry[];
}

const END_OF: Readonly<Record<DisruptionType, EndedStatus>> = { disruption: 'resolved', maintenance: 'completed' };

/**
 * Returns the course that a request describes, completed where it is silent: the status follows from `resolvedAt` and
 * `updates`, the start from the first entry after the announcement, the end from the entry that ended it. A status
 * that no entry has adds one.
 */
export function historyOf(wanted: EnteredHistory, now: Date): History {
  const { type, message } = wanted;
  const entered = (wanted.updates ?? []).map((update): Entry => {
    const status = update.status ?? statusAtFirst(type, now, now);
    return {
      id: update.id,
      status,
      body: update.message || DEFAULT_MESSAGES[status],
      postedAt: update.postedAt ?? now,
    };
  });
  const begun = entered.find(({ status }) => status !== 'scheduled');
  const startedAt = wanted.startedAt ?? begun?.postedAt ?? wanted.resolvedAt ?? now;
  const status = wanted.status ?? impliedStatus(wanted, entered.at(-1)?.status) ?? statusAtFirst(type, startedAt, now);
  const resolvedAt = isEnd(status) ? (wanted.resolvedAt ?? endOf(entered) ?? now) : undefined;
  const isComplete = entered.at(-1)?.status === status;
  const implied = { id: undefined, status, body: message || DEFAULT_MESSAGES[status], postedAt: resolvedAt ?? now };
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

/** Returns when the last end was posted; what is posted after the end, such as a summary, leaves it as it was. */
function endOf(entries: readonly Entry[]): Date | undefined {
  const lastOpen = entries.findLastIndex(({ status }) => !isEnd(status));
  return entries[lastOpen + 1]?.postedAt;
}

/** Collects the errors of a new disruption's course, at their paths in the API. */
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

/** Whether the status of a request contradicts the last entry. Only an end may follow from the status alone. */
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
  // Maintenance is announced before it starts.
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
