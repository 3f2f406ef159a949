import type { DisruptionImpact, DisruptionType } from '@tocsin/enums';
import type { FieldErrorCollector } from '@tocsin/errors';
import { problemOfLine, problemOfProse } from '@tocsin/text';
import { MAX_MESSAGE, MAX_TITLE, type OpenDisruption } from './disruption.ts';
import { type Posting, post } from './posting.ts';
import { type Publication, publish } from './publication.ts';
import { checkTimes, nextTime } from './schedule.ts';
import { DEFAULT_MESSAGES } from './words.ts';

/** A disruption that a person opens, or a maintenance that a person announces. */
export interface NewDisruption {
  readonly title: string;
  readonly type: DisruptionType;
  readonly impact: DisruptionImpact;
  /** Start; defaults to now. */
  readonly startedAt: Date | undefined;
  /** Planned end; for maintenance only. */
  readonly endsAt: Date | undefined;
  /** Text of the first timeline entry. If empty, the entry gets a default text. */
  readonly message: string;
}

/** Adds an error for each invalid field of a new disruption, except for publications. */
export function checkNew(wanted: NewDisruption, now: Date, problems: FieldErrorCollector): void {
  problems.add('title', problemOfLine(wanted.title, MAX_TITLE));
  problems.add('message', problemOfProse(wanted.message, MAX_MESSAGE));
  checkTimes({ ...wanted, startedAt: wanted.startedAt ?? now }, { startedAt: true, endsAt: true }, problems);
}

/** Returns a new disruption that a person opens, with its first timeline entry. */
export function openByPerson(
  wanted: NewDisruption & { readonly publication: Publication | undefined },
  { id, organizationId, posting }: { id: string; organizationId: string; posting: Posting },
): OpenDisruption {
  const { title, type, impact, endsAt, message } = wanted;
  const { now } = posting;
  const startedAt = wanted.startedAt ?? now;
  const status = statusAtFirst(type, startedAt, now);
  return {
    id,
    organizationId,
    title,
    type,
    status,
    impact,
    origin: { kind: 'person' },
    startedAt,
    endsAt,
    dueAt: nextTime({ type, status, startedAt, endsAt }),
    resolvedAt: undefined,
    updates: [post(posting, status, message || DEFAULT_MESSAGES[status])],
    ...publish({ affectedComponents: [], statusPageIds: [] }, wanted.publication, status),
    acknowledgement: undefined,
    createdAt: now,
    updatedAt: now,
  };
}

function statusAtFirst(type: DisruptionType, startedAt: Date, now: Date) {
  if (type === 'disruption') return 'investigating';
  return startedAt > now ? 'scheduled' : 'in_progress';
}
