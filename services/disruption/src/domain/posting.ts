import type { DisruptionStatus, DisruptionUpdate } from './disruption.ts';

/** Author, time and id of a timeline entry. */
export interface Posting {
  readonly updateId: string;
  readonly now: Date;
  /** Mail address. */
  readonly postedBy: string;
}

/** Returns a timeline entry. */
export function post(posting: Posting, status: DisruptionStatus, body: string): DisruptionUpdate {
  return { id: posting.updateId, status, body, postedAt: posting.now, postedBy: posting.postedBy };
}
