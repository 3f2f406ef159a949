import { AFTER_MINUTES, ALERT_EVENTS } from '@tocsin/enums';
import type { FieldErrorCollector } from '@tocsin/errors';

/** A monitor's link to an alert channel, with the settings of the link. */
export interface ChannelLink {
  readonly channelId: string;
  /**
   * Delay in minutes before the channel is alerted to an outage. If the outage ends or is acknowledged during the
   * delay, the channel is not alerted.
   */
  readonly afterMinutes: number;
  /** Kinds of alerts that are sent to the channel. If empty, all kinds are sent. */
  readonly events: readonly string[];
}

/**
 * Adds an error for each invalid setting of a link. `ids` are the ids of all linked channels in the order of the
 * request.
 */
export function checkChannelLinks(
  ids: readonly string[],
  links: readonly ChannelLink[],
  errors: FieldErrorCollector,
): void {
  const { minimum, maximum } = AFTER_MINUTES;
  for (const { channelId, afterMinutes, events } of links) {
    const path = `alert_channel_ids.${ids.indexOf(channelId)}`;
    if (afterMinutes < minimum || afterMinutes > maximum) {
      errors.add(`${path}.after_minutes`, `must be between ${minimum} and ${maximum}`);
    }
    for (const [index, event] of events.entries()) {
      if (ALERT_EVENTS.some((known) => known === event)) continue;
      errors.add(`${path}.events.${index}`, `must be one of ${ALERT_EVENTS.join(', ')}`);
    }
  }
}

/**
 * Returns the links that have settings, in the order of `ids`. New settings replace all previous settings of a link. A
 * link without new settings keeps its previous settings.
 */
export function mergeChannelLinks(
  ids: readonly string[],
  before: readonly ChannelLink[],
  changes: readonly ChannelLink[],
): ChannelLink[] {
  return ids.flatMap((id) => {
    const isOf = ({ channelId }: ChannelLink) => channelId.toLowerCase() === id.toLowerCase();
    const link = changes.findLast(isOf) ?? before.find(isOf);
    if (!link || (link.afterMinutes === 0 && link.events.length === 0)) return [];
    const events = ALERT_EVENTS.filter((event) => link.events.includes(event));
    return [{ channelId: id, afterMinutes: link.afterMinutes, events }];
  });
}
