import type { DisruptionImpact, DisruptionType } from '@tocsin/enums';
import type { FieldErrorCollector } from '@tocsin/errors';
import { problemOfLine, problemOfProse } from '@tocsin/text';
import {
  type Disruption,
  type DisruptionStatus,
  isEnd,
  isOpen,
  MAX_MESSAGE,
  MAX_TITLE,
  STATUSES_OF,
} from './disruption.ts';
import { type Posting, post } from './posting.ts';
import { type Publication, publish, unpublish } from './publication.ts';
import { checkTimes, nextTime } from './schedule.ts';
import { problemOfTimeline } from './timeline-limits.ts';

/** Requested changes. Absent fields stay unchanged. */
export interface Changes {
  readonly title?: string | undefined;
  readonly impact?: DisruptionImpact | undefined;
  readonly status?: DisruptionStatus | undefined;
  /** Text of a new timeline entry. An empty text counts as absent. */
  readonly message?: string | undefined;
  readonly startedAt?: Date | undefined;
  /** New planned end. If `value` is undefined, the end is removed. */
  readonly endsAt?: { readonly value: Date | undefined } | undefined;
  readonly publication?: Publication | undefined;
  /** Page from which the disruption is removed. */
  readonly unpublishedPageId?: string | undefined;
}

/**
 * Adds an error for each invalid field of a change. Does not check the publication. `type` is the type in the request,
 * which must equal the type of the disruption.
 */
export function checkChanges(
  disruption: Disruption,
  changes: Changes & { readonly type?: DisruptionType | undefined },
  problems: FieldErrorCollector,
): void {
  const { title, type, status, message = '' } = changes;
  if (title !== undefined && title !== disruption.title) problems.add('title', problemOfLine(title, MAX_TITLE));
  if (type !== undefined && type !== disruption.type) problems.add('type', "can't be changed");
  const own = STATUSES_OF[disruption.type];
  if (status !== undefined && !own.includes(status)) problems.add('status', `must be one of ${own.join(', ')}`);
  problems.add('message', problemOfProse(message, MAX_MESSAGE));
  const addsUpdate = message !== '' || (status !== undefined && status !== disruption.status);
  const ends = status !== undefined && isEnd(status) && isOpen(disruption);
  const limit = problemOfTimeline(disruption.updates, message);
  if (addsUpdate && !ends && limit) {
    const advice = isOpen(disruption) ? '; it can still be resolved or completed' : '';
    problems.add(message ? 'message' : 'status', `${limit}${advice}`);
  }
  const sent = { startedAt: changes.startedAt !== undefined, endsAt: changes.endsAt !== undefined };
  checkTimes({ type: disruption.type, ...timesAfter(disruption, changes) }, sent, problems);
  problems.add('started_at', problemOfNewStart(disruption, changes));
}

function problemOfNewStart({ startedAt: before, status: old, resolvedAt }: Disruption, changes: Changes) {
  const { status = old } = changes;
  const startedAt = changes.startedAt ? timeAfter(before, changes.startedAt) : before;
  // A maintenance that was called off before its planned start may keep this start.
  if (!resolvedAt || !isEnd(status) || startedAt.getTime() === before.getTime()) return undefined;
  return startedAt > resolvedAt ? 'must not be after resolved_at' : undefined;
}

/**
 * Returns the disruption after a change. Returns the same object if the change has no effect. A new status or a message
 * adds a timeline entry. Resolving sets resolvedAt, and reopening clears it.
 */
export function changeDisruption(before: Disruption, changes: Changes, posting: Posting): Disruption {
  const { title = before.title, impact = before.impact, status = before.status, message } = changes;
  const moved = status !== before.status;
  const entries = moved || message ? [post(posting, status, message ?? '')] : [];
  const times = timesAfter(before, changes);
  // A maintenance that is started by hand before its planned start begins at the time of the change. So does an
  // incident that is resolved before its planned start, because it can't end before its start.
  const begins = status === 'in_progress' || status === 'resolved';
  const isEarly = moved && begins && changes.startedAt === undefined && before.startedAt > posting.now;
  const common = {
    ...before,
    title,
    automaticTitle: before.automaticTitle && title === before.title,
    impact,
    ...times,
    ...(isEarly && { startedAt: posting.now }),
    ...(changes.unpublishedPageId === undefined
      ? publish(before, changes.publication, status)
      : unpublish(before, changes.unpublishedPageId)),
    updates: [...entries, ...before.updates],
    // Reopening removes the acknowledgement, because the person who acknowledged may not know that the disruption is
    // open again.
    acknowledgement: !isOpen(before) && !isEnd(status) ? undefined : before.acknowledgement,
    updatedAt: posting.now,
  };
  const after: Disruption = isEnd(status)
    ? { ...common, status, resolvedAt: before.resolvedAt ?? posting.now }
    : { ...common, status, resolvedAt: undefined };
  return fingerprint(after) === fingerprint(before)
    ? before
    : { ...after, dueAt: dueAfter(before, after, posting.now) };
}

/**
 * Returns the time of the next automatic status change after a person's change. If the person set the start or the end,
 * the next change is due even if that time has passed. If the person set only a status, a time that has passed is
 * ignored, so that the system does not undo the change.
 */
function dueAfter(before: Disruption, after: Disruption, now: Date): Date | undefined {
  const time = nextTime(after);
  const wasSet = time?.getTime() !== nextTime({ ...before, status: after.status })?.getTime();
  if (wasSet) return time;
  if (after.status === before.status) return before.dueAt;
  return time && time > now ? time : undefined;
}

function timesAfter(before: Disruption, { startedAt, endsAt }: Changes): Pick<Disruption, 'startedAt' | 'endsAt'> {
  return {
    startedAt: startedAt ? timeAfter(before.startedAt, startedAt) : before.startedAt,
    endsAt: endsAt ? endsAt.value && timeAfter(before.endsAt, endsAt.value) : before.endsAt,
  };
}

/**
 * Returns the stored time if the sent time is the same in whole seconds, because responses contain whole seconds. A
 * client that sends back what it read then changes nothing.
 */
function timeAfter(before: Date | undefined, sent: Date): Date {
  const isSame = before && sent.getTime() === Math.floor(before.getTime() / 1000) * 1000;
  return isSame ? before : sent;
}

/**
 * Returns a string for comparing two versions of a disruption. The strings differ if any field that people can change
 * differs. The status is covered by the number of timeline entries, because a new status always adds an entry.
 */
function fingerprint({ title, impact, startedAt, endsAt, affectedComponents, statusPageIds, updates }: Disruption) {
  return JSON.stringify([title, impact, startedAt, endsAt, affectedComponents, statusPageIds, updates.length]);
}
