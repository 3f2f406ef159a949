import type { AlertEvent } from '@tocsin/enums';
import type { AlertKind } from './alert.ts';

/** A monitor's link to a channel. */
export interface ChannelLink {
  readonly channelId: string;
  /** Minutes that an outage must last without being acknowledged before the channel is alerted. */
  readonly afterMinutes: number;
  /** Kinds of alerts that go to the channel; undefined: all. */
  readonly events: readonly AlertEvent[] | undefined;
}

/** Where an alert goes. */
export interface Route {
  /** Channels that get it at once. */
  readonly now: readonly string[];
  /** Channels that get it if the outage lasts. */
  readonly later: readonly { readonly channelId: string; readonly afterMinutes: number }[];
  /** Channels that get it if they were alerted of the outage that it ends. */
  readonly ifAlerted: readonly string[];
}

/** Returns the links to channels without settings. */
export function plainLinks(channelIds: readonly string[]): ChannelLink[] {
  return channelIds.map((channelId) => ({ channelId, afterMinutes: 0, events: undefined }));
}

/**
 * Returns where an alert goes. The beginning of an outage waits for the time of a link; its end follows where the
 * beginning went. An expiring certificate is no outage and goes out at once.
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
