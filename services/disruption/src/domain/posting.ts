import type { DisruptionStatus, DisruptionUpdate } from './disruption.ts';

/** Who writes, when, and under which id. */
export interface Posting {
  readonly updateId: string;
  readonly now: Date;
  /** Mail address. */
  readonly postedBy: string;
}

/** A timeline entry. */
export function post(posting: Posting, status: DisruptionStatus, body: string): DisruptionUpdate {
  return { id: posting.updateId, status, body, postedAt: posting.now, postedBy: posting.postedBy };
}
