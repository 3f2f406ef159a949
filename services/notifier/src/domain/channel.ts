import { problemOfLine } from '@tocsin/text';

/** Why a channel was disabled by the system. */
export interface Breakage {
  readonly at: Date;
  /** For a person. */
  readonly reason: string;
  /** Probes that failed since then. */
  readonly probes: number;
  /** When the next probe is due. */
  readonly probeAt: Date;
}

/** A place that alerts go to, without its configuration, which is a secret. */
export interface Channel {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  /** Kind as the API spells it: `webhook`, `slack`, … */
  readonly type: string;
  readonly enabled: boolean;
  readonly defaultForNewMonitors: boolean;
  readonly broken: Breakage | undefined;
  /** The first attempt that failed since the last one that got through. */
  readonly failingSince: Date | undefined;
  /** The channel that gets its alerts while it is broken. */
  readonly fallbackChannelId: string | undefined;
  /** Grows with every change that may repair the channel. */
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const MAX_NAME = 255;

/** What is wrong with a channel's name; undefined when nothing is. */
export function problemOfName(name: string): string | undefined {
  return problemOfLine(name, MAX_NAME);
}

/** What a change may say; what is absent stays. */
export interface ChannelChanges {
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly defaultForNewMonitors?: boolean | undefined;
  /** Null: none from now on. */
  readonly fallbackChannelId?: string | null | undefined;
  /** Whether the configuration is replaced, too. */
  readonly newConfig: boolean;
}

/**
 * Returns a channel after a person changed it. A new configuration, or enabling it, makes it healthy; one that a person
 * disables is disabled by that person from then on, and no longer by the system.
 */
export function change(channel: Channel, changes: ChannelChanges, now: Date): Channel {
  const isRepaired = changes.newConfig || changes.enabled === true || (changes.enabled === false && channel.broken);
  const current = isRepaired ? markHealthy(channel, now) : channel;
  return {
    ...current,
    name: changes.name ?? channel.name,
    enabled: changes.enabled ?? current.enabled,
    defaultForNewMonitors: changes.defaultForNewMonitors ?? channel.defaultForNewMonitors,
    fallbackChannelId:
      changes.fallbackChannelId === undefined ? channel.fallbackChannelId : (changes.fallbackChannelId ?? undefined),
    updatedAt: now,
  };
}

/** Returns a channel that works as far as is known. If the system disabled it, the system enables it again. */
export function markHealthy(channel: Channel, now: Date): Channel {
  return {
    ...channel,
    enabled: channel.enabled || channel.broken !== undefined,
    broken: undefined,
    failingSince: undefined,
    revision: channel.revision + 1,
    updatedAt: now,
  };
}

/** Waits before the first, second, … probe of a broken channel: 15 min to 6 h. The last one repeats. */
const PROBE_WAITS = [450, 900, 1_800, 3_600, 7_200, 10_800];

/** Returns a channel that was found broken: alerts are held until it is healthy again. */
export function markBroken(channel: Channel, reason: string, now: Date, retryBaseMs: number): Channel {
  const broken = { at: now, reason, probes: 0, probeAt: nextProbe(0, now, retryBaseMs) };
  return { ...channel, enabled: false, broken, updatedAt: now };
}

/** Returns a broken channel after one more probe of it failed. */
export function recordFailedProbe(channel: Channel, now: Date, retryBaseMs: number): Channel {
  if (!channel.broken) return channel;
  const probes = channel.broken.probes + 1;
  return { ...channel, broken: { ...channel.broken, probes, probeAt: nextProbe(probes, now, retryBaseMs) } };
}

function nextProbe(probes: number, now: Date, retryBaseMs: number): Date {
  return new Date(now.getTime() + (PROBE_WAITS[probes] ?? PROBE_WAITS.at(-1) ?? 0) * retryBaseMs);
}
