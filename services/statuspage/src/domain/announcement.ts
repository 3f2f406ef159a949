import type { Disruption, DisruptionUpdate } from './disruption.ts';

/** Time for which an automatic disruption has to be open before it is announced. */
export const ANNOUNCE_AFTER_MS = 5 * 60_000;

/** Minimum time between the announcements of two automatic disruptions of one monitor on one page. */
export const OPENING_EVERY_MS = 3_600_000;

/** Age from which an entry is history, which is not announced. */
export const HISTORY_AFTER_MS = 3_600_000;

/** Texts of an email to the subscribers of a page, in the page's language. */
export interface Notice {
  readonly disruptionId: string;
  readonly updateId: string;
  readonly subject: string;
  /** Status of the timeline entry and title of the disruption, such as "Investigating: Slow search". */
  readonly headline: string;
  /** Text of the timeline entry, without markup. */
  readonly body: string;
  /** Color as `#RRGGBB`. */
  readonly color: string;
  readonly details: readonly { readonly label: string; readonly value: string }[];
  /** URL of the disruption's page. */
  readonly url: string;
}

/** State of the announcement of an automatic disruption on a page. */
export type AnnouncementState = 'none' | 'waiting' | 'announced';

/** A change to a disruption on a page. */
export interface PageChange {
  readonly disruption: Pick<Disruption, 'autoCreated' | 'createdAt' | 'resolvedAt' | 'updates'>;
  /** Entries that the change added, newest first. */
  readonly added: readonly DisruptionUpdate[];
  /** Whether the page did not show the disruption before. */
  readonly isNewOnPage: boolean;
  /** State of the announcement; `none` if a person created the disruption. */
  readonly state: AnnouncementState;
  readonly now: Date;
}

export type AnnouncementDecision =
  | { readonly kind: 'nothing' }
  /** Announces an entry now. */
  | { readonly kind: 'announce'; readonly updateId: string }
  /** Announces the disruption at a time, if it is still open then. */
  | { readonly kind: 'wait'; readonly until: Date }
  /** Cancels the announcement for which the disruption waits. */
  | { readonly kind: 'cancel' };

const NOTHING = { kind: 'nothing' } as const;

/**
 * Decides whether the subscribers of a page are informed about a change to a disruption. One change announces one entry
 * at most, the newest one. What people write is announced at once; what the system writes about an automatic disruption
 * is announced only after the disruption itself. Edits, entries that are silent, and history are not announced.
 */
export function decideAnnouncement({ disruption, added, isNewOnPage, state, now }: PageChange): AnnouncementDecision {
  const { autoCreated, createdAt, resolvedAt, updates } = disruption;
  if (isNewOnPage && resolvedAt) return NOTHING;
  const [newest] = isNewOnPage ? updates : added;
  const isRecent = newest !== undefined && now.getTime() - newest.postedAt.getTime() <= HISTORY_AFTER_MS;
  const announced =
    newest && isRecent && !newest.silent ? ({ kind: 'announce', updateId: newest.id } as const) : NOTHING;
  if (!autoCreated || state === 'announced') return announced;
  if (resolvedAt) return state === 'waiting' ? { kind: 'cancel' } : NOTHING;
  if (newest && !newest.automatic && announced.kind === 'announce') return announced;
  if (state === 'waiting') return NOTHING;
  return { kind: 'wait', until: new Date(createdAt.getTime() + ANNOUNCE_AFTER_MS) };
}

/**
 * Returns the time at which a waiting disruption may be announced, if its monitor's last announced disruption was
 * announced at `lastAt`; undefined if it may be announced now.
 */
export function postponedUntil(lastAt: Date | undefined, now: Date): Date | undefined {
  if (!lastAt) return undefined;
  const until = new Date(lastAt.getTime() + OPENING_EVERY_MS);
  return until > now ? until : undefined;
}
