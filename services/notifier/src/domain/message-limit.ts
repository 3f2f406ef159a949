/** Default maximum number of messages to a channel per hour. */
export const DEFAULT_MAX_MESSAGES_PER_HOUR = 60;

const HOUR_MS = 3_600_000;

/** Number of messages to a channel in the current hour. The first message starts the hour. */
export interface MessageHour {
  readonly startedAt: Date;
  readonly messages: number;
}

/**
 * Result of counting a message: `none` if it exceeds the hourly limit, `last` if it reaches the limit, otherwise
 * `free`. The hour ends at `until`.
 */
export interface Slot {
  readonly kind: 'free' | 'last' | 'none';
  readonly until: Date;
}

/** Counts a message, and returns whether it may be sent. A limit of 0 means no limit. */
export function countMessage(
  hour: MessageHour | undefined,
  limit: number,
  now: Date,
): { readonly hour: MessageHour; readonly slot: Slot } {
  const isOver = !hour || now.getTime() >= hour.startedAt.getTime() + HOUR_MS;
  const { startedAt, messages } = isOver ? { startedAt: now, messages: 0 } : hour;
  const until = new Date(startedAt.getTime() + HOUR_MS);
  if (limit > 0 && messages >= limit) return { hour: { startedAt, messages }, slot: { kind: 'none', until } };
  const kind = messages + 1 === limit ? 'last' : 'free';
  return { hour: { startedAt, messages: messages + 1 }, slot: { kind, until } };
}
