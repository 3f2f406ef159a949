import type { DisruptionStatus, DisruptionUpdate } from './disruption.ts';

/** Author, time and id of a timeline entry. */
export interface Posting {
  readonly updateId: string;
  readonly now: Date;
  /** Mail address of the author. */
  readonly postedBy: string;
  /** Whether nobody is notified of the entry. Defaults to false. */
  readonly silent?: boolean;
}

/** Returns a timeline entry that a person wrote, or that an automatic step of a maintenance added. */
export function post(posting: Posting, status: DisruptionStatus, body: string): DisruptionUpdate {
  const { updateId: id, now: postedAt, postedBy, silent = false } = posting;
  return {
    ...{ id, status, body, postedAt, postedBy, silent },
    ...{ explanation: undefined, automatic: false, editedAt: undefined },
  };
}

/** Returns a timeline entry about an event of a monitor. `explanation` has the results of the checks. */
export function postAutomatic(
  posting: Posting,
  status: DisruptionStatus,
  { body, explanation = '' }: { readonly body: string; readonly explanation?: string },
): DisruptionUpdate {
  return { ...post(posting, status, body), automatic: true, explanation: explanation || undefined };
}
