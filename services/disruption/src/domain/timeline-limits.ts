import { MAX_TIMELINE_BYTES, MAX_UPDATES } from '@tocsin/enums';
import type { DisruptionUpdate } from './disruption.ts';

/** Returns why an entry with this message can't be added to a timeline, or undefined if it can. */
export function problemOfTimeline(updates: readonly DisruptionUpdate[], message: string): string | undefined {
  return updates.length >= MAX_UPDATES
    ? `the timeline has its limit of ${MAX_UPDATES} updates`
    : problemOfTimelineBytes(updates, message);
}

/**
 * Returns an error if a timeline would exceed its maximum size with this message, or undefined if the message fits.
 */
export function problemOfTimelineBytes(updates: readonly DisruptionUpdate[], message: string): string | undefined {
  const bytes = updates.reduce((sum, { body }) => sum + Buffer.byteLength(body), Buffer.byteLength(message));
  if (bytes <= MAX_TIMELINE_BYTES) return undefined;
  return `the timeline has at most ${MAX_TIMELINE_BYTES / 1024} KB of messages, and would have ${bytes} bytes`;
}
