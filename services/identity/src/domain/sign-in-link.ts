/** How long a sign-in link is valid. */
export const LINK_MS = 15 * 60_000;

/** Maximum number of valid links of a user. Another link replaces the oldest one. */
export const MAX_LINKS = 10;
