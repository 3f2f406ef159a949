import { problemOfLine } from '@tocsin/text';

/** Why a channel was disabled by the system. */
export interface Breakage {
  readonly at: Date;
  /** For a person. */
  readonly reason: string;
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

/** Returns a channel that was found broken: alerts are held until it is healthy again. */
export function markBroken(channel: Channel, reason: string, now: Date): Channel {
  return { ...channel, enabled: false, broken: { at: now, reason }, updatedAt: now };
}
