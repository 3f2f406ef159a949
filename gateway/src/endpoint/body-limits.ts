/** Maximum size in bytes of most JSON bodies. A `config` of 128 KB with secrets of 64 KB fits. */
export const MAX_BODY_BYTES = 262_144;

/** Maximum size in bytes of the body that replaces a page's structure. 500 components with their monitors fit. */
export const MAX_STRUCTURE_BYTES = 1_048_576;

/** Maximum size in bytes of the body that creates several monitors. */
export const MAX_BATCH_BYTES = 1_048_576;

/**
 * Maximum size in bytes of a ping's body. Jobs may send the end of their log as the body, although the gateway discards
 * it.
 */
export const MAX_PING_BYTES = 1_000_000;

/** Maximum size in bytes of a body that the operation ignores. */
export const MAX_IGNORED_BYTES = 16_384;
