/** Why a delivery is held, for a person. */
export const HELD = 'the channel is broken; this is sent late if it is healthy again within 24 hours';
