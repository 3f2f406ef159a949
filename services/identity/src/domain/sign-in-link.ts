/** How long a sign-in link is valid. */
export const LINK_MS = 15 * 60_000;

/** Maximum number of valid links of a user. A further one replaces the oldest. */
export const MAX_LINKS = 10;
