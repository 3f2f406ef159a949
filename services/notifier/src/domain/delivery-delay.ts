import { laneOf } from './delivery-shares.ts';

/**
 * Returns the milliseconds from the time at which a delivered delivery became due until `now`. Returns undefined for
 * retries and for deliveries in the slow lane: their delays are caused by their receivers.
 */
export function firstAttemptDelayMs(
  { attempts, slow, dueAt }: { readonly attempts: number; readonly slow: boolean; readonly dueAt: Date },
  now: Date,
): number | undefined {
  return laneOf({ attempts, slow }) === 'first' ? now.getTime() - dueAt.getTime() : undefined;
}
