/** Lifetime of a sign-in link, in milliseconds. */
export const LINK_MS = 15 * 60_000;

/** Maximum number of valid links of a user. A link beyond this number replaces the oldest link. */
export const MAX_LINKS = 10;
