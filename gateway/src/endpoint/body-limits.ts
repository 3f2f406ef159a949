/** The largest JSON body of most operations, in bytes: room for a `config` of 128 KB with secrets of 64 KB. */
export const MAX_BODY_BYTES = 262_144;

/** The largest structure of a status page: 500 components with their monitors. */
export const MAX_STRUCTURE_BYTES = 1_048_576;

/** The largest body of a ping, which is discarded: jobs send the end of their log. */
export const MAX_PING_BYTES = 1_000_000;

/** The largest body of an operation that takes none. */
export const MAX_IGNORED_BYTES = 16_384;
