import { laneOf } from './delivery-shares.ts';

/**
 * Returns the milliseconds from the time at which a delivered delivery became due until `now`. Returns undefined for
 * retries and for deliveries in the slow lane, because their receivers cause the delays, and for emails to subscribers,
 * which wait for each other.
 */
export function firstAttemptDelayMs(
  delivery: { readonly attempts: number; readonly slow: boolean; readonly toSubscriber: boolean; readonly dueAt: Date },
  now: Date,
): number | undefined {
  return laneOf(delivery) === 'first' ? now.getTime() - delivery.dueAt.getTime() : undefined;
}
