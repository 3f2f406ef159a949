/** Error text of a delivery with the status `held`, which waits until its broken channel recovers. */
export const HELD = 'the channel is broken; this is sent late if it is healthy again within 24 hours';

/** Maximum duration, in milliseconds, for which an alert waits for its broken channel to recover. */
export const HELD_MS = 24 * 3_600_000;
