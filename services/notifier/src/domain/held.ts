/** Why a delivery is held, for a person. */
export const HELD = 'the channel is broken; this is sent late if it is healthy again within 24 hours';

/** Alerts that a broken channel holds are delivered late, if it is healthy again by then. */
export const HELD_MS = 24 * 3_600_000;
