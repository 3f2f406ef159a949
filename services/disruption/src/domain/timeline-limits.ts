import { MAX_TIMELINE_BYTES, MAX_UPDATES } from '@tocsin/enums';
import type { DisruptionUpdate } from './disruption.ts';

/** Returns why a timeline can't get another entry with this message; undefined if it can. */
export function problemOfTimeline(updates: readonly DisruptionUpdate[], message: string): string | undefined {
  return updates.length >= MAX_UPDATES
    ? `the timeline has its limit of ${MAX_UPDATES} updates`
    : problemOfTimelineBytes(updates, message);
}

/** Returns why a message does not fit into a timeline in addition to the given entries; undefined if it does. */
export function problemOfTimelineBytes(updates: readonly DisruptionUpdate[], message: string): string | undefined {
  const bytes = updates.reduce((sum, { body }) => sum + Buffer.byteLength(body), Buffer.byteLength(message));
  if (bytes <= MAX_TIMELINE_BYTES) return undefined;
  return `the timeline has at most ${MAX_TIMELINE_BYTES / 1024} KB of messages, and would have ${bytes} bytes`;
}
