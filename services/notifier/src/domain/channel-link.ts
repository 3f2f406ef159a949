import type { AlertEvent } from '@tocsin/enums';
import type { AlertKind } from './alert.ts';

/** A monitor's link to a channel. */
export interface ChannelLink {
  readonly channelId: string;
  /** Minutes after which the channel is alerted of an outage that is not acknowledged. */
  readonly afterMinutes: number;
  /** Kinds of alerts that are sent to the channel; undefined means all kinds. */
  readonly events: readonly AlertEvent[] | undefined;
}

/** Channels that an alert is sent to. */
export interface Route {
  /** Channels that get the alert immediately. */
  readonly now: readonly string[];
  /** Channels that get the alert if the outage continues. */
  readonly later: readonly { readonly channelId: string; readonly afterMinutes: number }[];
  /** Channels that get the alert only if they were alerted of the outage. Empty unless the alert is a recovery. */
  readonly ifAlerted: readonly string[];
}

/** Returns links with default settings to the given channels. */
export function plainLinks(channelIds: readonly string[]): ChannelLink[] {
  return channelIds.map((channelId) => ({ channelId, afterMinutes: 0, events: undefined }));
}

/**
 * Returns the channels that get an alert of this kind. The start of an outage is sent to each channel after the delay
 * of its link. The end of an outage is sent immediately, but to a channel with a delay only if it was alerted of the
 * start. All other kinds are sent immediately.
 */
export function routeAlert(kind: AlertKind, links: readonly ChannelLink[]): Route {
  const wanted = links.filter(({ events }) => !events || events.some((event) => event === kind));
  const delayed = wanted.filter(({ afterMinutes }) => afterMinutes > 0);
  const direct = wanted.filter(({ afterMinutes }) => afterMinutes === 0).map(({ channelId }) => channelId);
  const all = wanted.map(({ channelId }) => channelId);
  switch (kind) {
    case 'monitor_down':
    case 'monitor_stale':
      return { now: direct, later: delayed, ifAlerted: [] };
    case 'monitor_recovered':
      return { now: direct, later: [], ifAlerted: delayed.map(({ channelId }) => channelId) };
    default:
      return { now: all, later: [], ifAlerted: [] };
  }
}
