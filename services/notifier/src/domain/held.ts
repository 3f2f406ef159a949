/** Human-readable error of a held delivery. */
export const HELD = 'the channel is broken; this is sent late if it is healthy again within 24 hours';

/** Maximum time for which a broken channel holds an alert. */
export const HELD_MS = 24 * 3_600_000;
