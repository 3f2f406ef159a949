import { problemOfLine } from '@tocsin/text';
import { type ChannelPolicy, changePolicy, type PolicyChanges } from './channel-policy.ts';

/** Reason and state of a channel that the system disabled. */
export interface Breakage {
  readonly at: Date;
  /** Human-readable reason. */
  readonly reason: string;
  /** Number of probes that have failed since the channel was marked as broken. */
  readonly probes: number;
  readonly probeAt: Date;
}

/** A destination of alerts. The configuration is secret and not included. */
export interface Channel {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  /** Name of the type in the API, such as `webhook` or `slack`. */
  readonly type: string;
  readonly enabled: boolean;
  readonly defaultForNewMonitors: boolean;
  readonly broken: Breakage | undefined;
  /** Time of the first failed attempt since the last successful one. */
  readonly failingSince: Date | undefined;
  /** Channel that gets this channel's alerts while this channel is broken. */
  readonly fallbackChannelId: string | undefined;
  readonly policy: ChannelPolicy;
  /** Number that increases with every change that may repair the channel. */
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const MAX_NAME = 255;

/** Returns why a channel's name is invalid; undefined if it is valid. */
export function problemOfName(name: string): string | undefined {
  return problemOfLine(name, MAX_NAME);
}

/** Changes that a person makes to a channel. Absent fields stay unchanged. */
export interface ChannelChanges {
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly defaultForNewMonitors?: boolean | undefined;
  /** Null removes the fallback. */
  readonly fallbackChannelId?: string | null | undefined;
  readonly policy?: PolicyChanges | undefined;
  readonly newConfig: boolean;
}

/**
 * Returns a channel with the changes that a person made. The channel is marked as healthy if it gets a new
 * configuration or is enabled. A broken channel that a person disables is also marked as healthy, and stays disabled.
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
    policy: changePolicy(channel.policy, changes.policy ?? {}),
    updatedAt: now,
  };
}

/** Returns a channel that is marked as healthy. If the system disabled the channel, it is enabled again. */
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

/**
 * Delays before the probes of a broken channel, in units of `retryBaseMs`. By default, the delays grow from 15 min to 6
 * h. The last delay repeats.
 */
const PROBE_WAITS = [450, 900, 1_800, 3_600, 7_200, 10_800];

/** Returns a channel that is marked as broken. It holds its alerts until it is healthy again. */
export function markBroken(channel: Channel, reason: string, now: Date, retryBaseMs: number): Channel {
  const broken = { at: now, reason, probes: 0, probeAt: nextProbe(0, now, retryBaseMs) };
  return { ...channel, enabled: false, broken, updatedAt: now };
}

/** Returns a broken channel after another failed probe. */
export function recordFailedProbe(channel: Channel, now: Date, retryBaseMs: number): Channel {
  if (!channel.broken) return channel;
  const probes = channel.broken.probes + 1;
  return { ...channel, broken: { ...channel.broken, probes, probeAt: nextProbe(probes, now, retryBaseMs) } };
}

function nextProbe(probes: number, now: Date, retryBaseMs: number): Date {
  return new Date(now.getTime() + (PROBE_WAITS[probes] ?? PROBE_WAITS.at(-1) ?? 0) * retryBaseMs);
}
