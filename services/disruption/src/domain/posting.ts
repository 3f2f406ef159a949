import type { AutomaticText } from '@tocsin/enums';
import type { DisruptionStatus, DisruptionUpdate } from './disruption.ts';
import { DEFAULT_MESSAGES } from './words.ts';

/** Author, time and id of a timeline entry. */
export interface Posting {
  readonly updateId: string;
  readonly now: Date;
  /** Mail address of the author. */
  readonly postedBy: string;
  /** Whether to suppress notifications about the entry. Defaults to false. */
  readonly silent?: boolean;
}

/**
 * Returns a timeline entry for an update by a person or for an automatic step of a maintenance. An empty message is
 * replaced by the default text for the status.
 */
export function post(posting: Posting, status: DisruptionStatus, message: string): DisruptionUpdate {
  const { updateId: id, now: postedAt, postedBy, silent = false } = posting;
  return {
    id,
    status,
    postedAt,
    postedBy,
    silent,
    body: message || DEFAULT_MESSAGES[status],
    automaticText: message ? undefined : 'default_of_status',
    explanation: undefined,
    automatic: false,
    editedAt: undefined,
  };
}

/** Returns a timeline entry about a monitor event. `explanation` contains the results of the checks. */
export function postAutomatic(
  posting: Posting,
  status: DisruptionStatus,
  input: { readonly body: string; readonly automaticText: AutomaticText; readonly explanation?: string },
): DisruptionUpdate {
  const { body, automaticText, explanation } = input;
  return { ...post(posting, status, body), automatic: true, automaticText, explanation: explanation || undefined };
}
