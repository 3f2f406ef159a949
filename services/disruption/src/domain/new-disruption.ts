import type { DisruptionImpact } from '@tocsin/enums';
import type { FieldErrorCollector } from '@tocsin/errors';
import { problemOfLine, problemOfProse } from '@tocsin/text';
import { type Disruption, isEnd, MAX_MESSAGE, MAX_TITLE } from './disruption.ts';
import { checkHistory, type EnteredHistory, historyOf } from './entered-history.ts';
import { type Posting, post } from './posting.ts';
import { type Publication, publish } from './publication.ts';
import { checkTimes, nextTime } from './schedule.ts';

/** A new disruption or maintenance, as a person enters it. It may already have ended. */
export interface NewDisruption extends EnteredHistory {
  readonly title: string;
  readonly impact: DisruptionImpact;
  /** Planned end. Only a maintenance has one. */
  readonly endsAt: Date | undefined;
}

/** Adds an error for each invalid field of a new disruption, except for its publication. */
export function checkNew(wanted: NewDisruption, now: Date, problems: FieldErrorCollector): void {
  problems.add('title', problemOfLine(wanted.title, MAX_TITLE));
  problems.add('message', problemOfProse(wanted.message, MAX_MESSAGE));
  const { startedAt } = historyOf(wanted, now);
  checkTimes({ ...wanted, startedAt }, { startedAt: true, endsAt: true }, problems);
  checkHistory(wanted, now, problems);
}

/**
 * Returns a new disruption with its timeline. `posting` provides the author of every entry, and the id of the entry
 * that historyOf() adds.
 */
export function openByPerson(
  wanted: NewDisruption & { readonly publication: Publication | undefined },
  { id, organizationId, posting }: { id: string; organizationId: string; posting: Posting },
): Disruption {
  const { title, type, impact, endsAt } = wanted;
  const { now } = posting;
  const { startedAt, status, resolvedAt = now, entries } = historyOf(wanted, now);
  const common = {
    id,
    organizationId,
    title,
    automaticTitle: false,
    type,
    impact,
    origin: { kind: 'person' } as const,
    startedAt,
    endsAt,
    dueAt: firstDue(wanted, { type, status, startedAt, endsAt }, now),
    updates: entries
      .map((entry) =>
        post({ ...posting, updateId: entry.id ?? posting.updateId, now: entry.postedAt }, entry.status, entry.message),
      )
      .toReversed(),
    ...publish({ affectedComponents: [], statusPageIds: [], hiddenPageIds: [] }, wanted.publication, status),
    acknowledgement: undefined,
    createdAt: now,
    updatedAt: now,
  };
  return isEnd(status) ? { ...common, status, resolvedAt } : { ...common, status, resolvedAt: undefined };
}

/**
 * Returns the time of the first automatic step. Returns undefined if this time is past and the request sets a status or
 * updates, because the step would overwrite the status that the person entered.
 */
function firstDue(
  { status, updates = [] }: NewDisruption,
  course: Parameters<typeof nextTime>[0],
  now: Date,
): Date | undefined {
  const time = nextTime(course);
  const isSet = status !== undefined || updates.length > 0;
  return isSet && time && time <= now ? undefined : time;
}
