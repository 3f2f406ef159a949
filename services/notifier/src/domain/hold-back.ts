import type { AlertKind } from './alert.ts';
import { isPager } from './incident.ts';
import { countMessage, type MessageHour } from './message-limit.ts';
import { isChange } from './storm.ts';

/** Why a channel gets an alert later, in a message that names all that was held back. */
export const HOLD_REASONS = ['quiet_hours', 'limit', 'flapping'] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

/** The time at which held-back alerts are due. */
export interface Hold {
  readonly reason: HoldReason;
  readonly until: Date;
}

/** What happens to an alert at a channel. */
export type Fate =
  /** It is sent. `lastUntil` is set if it is the last message within the limit, and further ones wait until then. */
  | { readonly kind: 'send'; readonly lastUntil?: Date }
  /** It is named later. A message that the monitor is flapping is sent instead if `announces`. */
  | ({ readonly kind: 'hold_back'; readonly announces?: { readonly lastUntil?: Date } } & Hold)
  /** The channel is broken. It is sent when the channel is healthy again. */
  | { readonly kind: 'held' }
  /** A message of the storm names it. */
  | { readonly kind: 'storm'; readonly stormId: string };

/** State of a channel with respect to an alert. */
export interface ChannelState {
  readonly type: string;
  readonly isBroken: boolean;
  /** End of the quiet hours, if they are now. */
  readonly quietUntil: Date | undefined;
  /** Alerts that the channel holds back because of its quiet hours or its limit. */
  readonly waiting: Hold | undefined;
  /** Time at which the held-back alerts about this flapping monitor are due, if there are any. */
  readonly flappingWaits: Date | undefined;
  /** Whether these alerts were to be named by a storm until now, so nothing has announced that it is flapping. */
  readonly leftStorm?: boolean;
  readonly hour: MessageHour | undefined;
  /** Maximum number of messages per hour; 0: no limit. */
  readonly limit: number;
}

/** Kinds of alerts that a person has just requested, or that no person reads. */
const ALWAYS_SENT: readonly AlertKind[] = ['test', 'incident_closed'];

/**
 * Decides what happens to an alert at a channel, and returns the channel's messages of this hour. As long as a channel
 * holds back alerts, further ones join them, so a recovery never arrives before its outage. Pagers get every alert at
 * once.
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

/** What happens to the held-back alerts of a channel whose time has come. */
export type SummaryPlan =
  | { readonly kind: 'held' | 'dropped' }
  /** They wait on. */
  | ({ readonly kind: 'postpone' } & Hold)
  /** One message names them. `lastUntil` is set if it is the last one within the limit. */
  | { readonly kind: 'send'; readonly lastUntil?: Date };

/** Decides what happens to held-back alerts whose time has come. */
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
 * Decides what happens to the alerts that a broken channel held, when it is healthy again. They are sent one by one,
 * unless these are more messages than its limit allows: then one message names them at once.
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

/** Returns why an alert is held back, as text for people. */
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
