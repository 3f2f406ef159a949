import type { AlertKind } from './alert.ts';
import { isPager } from './incident.ts';
import { countMessage, type MessageHour } from './message-limit.ts';
import { isChange } from './storm.ts';

/** Reasons for holding back an alert. A later message lists all alerts that were held back. */
export const HOLD_REASONS = ['quiet_hours', 'limit', 'flapping'] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

/** Why alerts are held back, and the time at which they are due. */
export interface Hold {
  readonly reason: HoldReason;
  readonly until: Date;
}

/** Decision about an alert to a channel. */
export type Fate =
  /**
   * The alert is sent. `lastUntil` is set if this is the last message within the limit. Further alerts wait until that
   * time.
   */
  | { readonly kind: 'send'; readonly lastUntil?: Date }
  /**
   * The alert is held back, and a later message lists it. If `announces` is set, a message that the monitor is flapping
   * is sent now.
   */
  | ({ readonly kind: 'hold_back'; readonly announces?: { readonly lastUntil?: Date } } & Hold)
  /** The channel is broken. The alert is sent when the channel is healthy again. */
  | { readonly kind: 'held' }
  /** The alert is part of a storm (many monitors changing at once). The next message about the storm lists it. */
  | { readonly kind: 'storm'; readonly stormId: string };

/** State of a channel that determines what happens to an alert. */
export interface ChannelState {
  readonly type: string;
  readonly isBroken: boolean;
  /** End of the current quiet hours; undefined outside of quiet hours. */
  readonly quietUntil: Date | undefined;
  /** Set if the channel already holds alerts back because of its quiet hours or its limit. */
  readonly waiting: Hold | undefined;
  /** Time at which the held-back alerts about this flapping monitor are due; undefined if there are none. */
  readonly flappingWaits: Date | undefined;
  /**
   * Whether the held-back alerts about this monitor were part of a storm (many monitors changing at once) until now. If
   * so, no message has announced yet that the monitor is flapping.
   */
  readonly leftStorm?: boolean;
  readonly hour: MessageHour | undefined;
  /** Maximum number of messages per hour; 0 means no limit. */
  readonly limit: number;
}

/**
 * Kinds of alerts that are never held back. A test alert is sent immediately, because a user is waiting for it. The
 * alert that closes an incident goes only to paging services, which have neither quiet hours nor a limit.
 */
const ALWAYS_SENT: readonly AlertKind[] = ['test', 'incident_closed'];

/**
 * Decides what happens to an alert to a channel. Also returns the channel's new count of messages in this hour. While a
 * channel holds alerts back, it also holds back further ones, so that a recovery never arrives before its outage.
 * Alerts to paging services are never held back here.
 */
export function decideFate(
  channel: ChannelState,
  {
    kind,
    stormId,
    flappingUntil,
    now,
  }: { kind: AlertKind; stormId: string | undefined; flappingUntil: Date | undefined; now: Date },
): { readonly fate: Fate; readonly hour: MessageHour | undefined } {
  const { hour, quietUntil, waiting, flappingWaits, leftStorm, limit } = channel;
  const decided = (fate: Fate) => ({ fate, hour });
  if (channel.isBroken) return decided({ kind: 'held' });
  if (isPager(channel.type) || ALWAYS_SENT.includes(kind)) return decided({ kind: 'send' });
  if (flappingWaits && isChange(kind)) {
    const hold = { kind: 'hold_back', reason: 'flapping', until: latest(flappingWaits, flappingUntil) } as const;
    if (!leftStorm || quietUntil || waiting) return decided(hold);
    const { slot, hour: after } = countMessage(hour, limit, now);
    if (slot.kind === 'none') return { hour: after, fate: hold };
    return { hour: after, fate: { ...hold, announces: slot.kind === 'last' ? { lastUntil: slot.until } : {} } };
  }
  if (stormId !== undefined && isChange(kind)) return decided({ kind: 'storm', stormId });
  if (quietUntil) return decided({ kind: 'hold_back', reason: 'quiet_hours', until: quietUntil });
  if (waiting) return decided({ kind: 'hold_back', ...waiting });
  const counted = countMessage(hour, limit, now);
  const { kind: slot, until } = counted.slot;
  if (slot === 'none') return { hour: counted.hour, fate: { kind: 'hold_back', reason: 'limit', until } };
  const note = slot === 'last' ? { lastUntil: until } : {};
  if (!flappingUntil || !isChange(kind)) return { hour: counted.hour, fate: { kind: 'send', ...note } };
  return {
    hour: counted.hour,
    fate: { kind: 'hold_back', reason: 'flapping', until: flappingUntil, announces: note },
  };
}

/** What happens to the held-back alerts of a channel when they are due. */
export type SummaryPlan =
  | { readonly kind: 'held' | 'dropped' }
  /** The alerts remain held back. */
  | ({ readonly kind: 'postpone' } & Hold)
  /**
   * The held-back alerts are sent together in one message. If this message uses up the limit, `lastUntil` is the time
   * until which no other message is sent.
   */
  | { readonly kind: 'send'; readonly lastUntil?: Date };

/** Decides what happens to held-back alerts that are due. */
export function planSummary(
  channel: Pick<ChannelState, 'isBroken' | 'quietUntil' | 'hour' | 'limit'> & { readonly enabled: boolean },
  now: Date,
): { readonly plan: SummaryPlan; readonly hour: MessageHour | undefined } {
  const { hour, quietUntil } = channel;
  if (channel.isBroken) return { hour, plan: { kind: 'held' } };
  if (!channel.enabled) return { hour, plan: { kind: 'dropped' } };
  if (quietUntil) return { hour, plan: { kind: 'postpone', reason: 'quiet_hours', until: quietUntil } };
  const counted = countMessage(hour, channel.limit, now);
  const { kind, until } = counted.slot;
  if (kind === 'none') return { hour, plan: { kind: 'postpone', reason: 'limit', until } };
  return { hour: counted.hour, plan: { kind: 'send', ...(kind === 'last' && { lastUntil: until }) } };
}

/**
 * Decides what happens to the held alerts of a broken channel when the channel is healthy again. In quiet hours, the
 * alerts are held back. Otherwise, the alerts are sent separately if the channel's limit allows that number of
 * messages. If it does not, one message that lists all of them is sent immediately.
 */
export function decideRelease(
  count: number,
  { quietUntil, hour, limit }: Pick<ChannelState, 'quietUntil' | 'hour' | 'limit'>,
  now: Date,
): { readonly hold: Hold | undefined; readonly hour: MessageHour | undefined } {
  if (quietUntil) return { hour, hold: { reason: 'quiet_hours', until: quietUntil } };
  let counted = hour;
  for (let message = 0; message < count; message += 1) {
    const next = countMessage(counted, limit, now);
    if (next.slot.kind === 'none') return { hour, hold: { reason: 'limit', until: now } };
    counted = next.hour;
  }
  return { hour: counted, hold: undefined };
}

/** Returns the human-readable reason why an alert is held back. */
export function textOfHold({ reason, until }: Hold): string {
  const at = until.toISOString().replace(/\.\d{3}Z$/, 'Z');
  switch (reason) {
    case 'quiet_hours':
      return `the channel has quiet hours until ${at}; a message then names it`;
    case 'limit':
      return `the channel has got its messages of this hour; a message at ${at} names it`;
    case 'flapping':
      return `the monitor goes up and down; a message names it when that is over, at ${at} at the earliest`;
    default:
      return reason satisfies never;
  }
}

function latest(a: Date, b: Date | undefined): Date {
  return b && b > a ? b : a;
}
