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
  /** Kind in the words of the contract: `webhook`, `slack`, … */
  readonly type: string;
  readonly enabled: boolean;
  readonly defaultForNewMonitors: boolean;
  readonly broken: Breakage | undefined;
  /** Alerts in a row that could not be delivered, whatever was tried. */
  readonly failedAlerts: number;
  /** Grows with every change that may mend the channel. */
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

/** A channel after a person changed it. A new configuration, or being enabled, makes it whole again. */
export function change(channel: Channel, changes: ChannelChanges, now: Date): Channel {
  const mended = changes.newConfig || changes.enabled === true;
  return {
    ...(mended ? markHealthy(channel, now) : channel),
    name: changes.name ?? channel.name,
    enabled: changes.enabled ?? channel.enabled,
    defaultForNewMonitors: changes.defaultForNewMonitors ?? channel.defaultForNewMonitors,
    updatedAt: now,
  };
}

/** A channel that works again as far as anybody knows. */
export function markHealthy(channel: Channel, now: Date): Channel {
  return { ...channel, broken: undefined, failedAlerts: 0, revision: channel.revision + 1, updatedAt: now };
}

/** A channel that was found broken: no alert goes there until somebody mends it. */
export function markBroken(channel: Channel, reason: string, now: Date): Channel {
  return { ...channel, enabled: false, broken: { at: now, reason }, updatedAt: now };
}
