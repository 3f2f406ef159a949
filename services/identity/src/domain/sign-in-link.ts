/** How long a sign-in link is valid. */
export const LINK_MS = 15 * 60_000;

/** Maximum number of valid links of a user. A link beyond this number replaces the oldest link. */
export const MAX_LINKS = 10;
