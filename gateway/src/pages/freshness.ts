/** State that determines whether a stored page is current. Times are in milliseconds. */
export interface Freshness {
  /** Time until which the page is current if it does not change. */
  readonly freshUntil: number;
  /** Whether the page has changed since it was rendered. */
  readonly isOutdated: boolean;
  /** Number of failed attempts to refresh the page since the last successful one. */
  readonly failures: number;
  /** Time of the next attempt after a failed one. */
  readonly retryAt: number;
}

/**
 * How to respond to a request for a stored page: send it unchanged, wait for a refresh, send it with the notice that it
 * may be outdated, or send it with the notice and refresh it in the background.
 */
export type Step = 'send' | 'wait' | 'send as of' | 'send as of and refresh';

export function nextStep({ freshUntil, isOutdated, failures, retryAt }: Freshness, now: number): Step {
  if (!isOutdated && now < freshUntil) return 'send';
  if (failures === 0) return 'wait';
  return now < retryAt ? 'send as of' : 'send as of and refresh';
}
