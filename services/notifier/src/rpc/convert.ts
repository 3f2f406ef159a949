import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { MonitorState as MonitorStateEnum } from '@tocsin/proto/monitor/v1/monitor';
import type { ChannelSchema } from '@tocsin/proto/notifier/v1/channel';
import type { SubscriptionSchema } from '@tocsin/proto/notifier/v1/subscription';
import type { MonitorState } from '../domain/alert.ts';
import type { Channel } from '../domain/channel.ts';
import type { Subscription } from '../domain/subscription.ts';

export function channelToProto(channel: Channel): MessageInitShape<typeof ChannelSchema> {
  const { broken } = channel;
  return {
    id: channel.id,
    organizationId: channel.organizationId,
    name: channel.name,
    type: channel.type,
    enabled: channel.enabled,
    defaultForNewMonitors: channel.defaultForNewMonitors,
    ...(broken && { brokenAt: timestampFromDate(broken.at), brokenReason: broken.reason }),
    createdAt: timestampFromDate(channel.createdAt),
    updatedAt: timestampFromDate(channel.updatedAt),
  };
}

export function subscriptionToProto(subscription: Subscription): MessageInitShape<typeof SubscriptionSchema> {
  const { id, organizationId, url, events, enabled, createdAt, updatedAt } = subscription;
  const times = { createdAt: timestampFromDate(createdAt), updatedAt: timestampFromDate(updatedAt) };
  return { id, organizationId, url, events: [...events], enabled, ...times };
}

const STATE_OF = new Map<MonitorStateEnum, MonitorState>([
  [MonitorStateEnum.PENDING, 'pending'],
  [MonitorStateEnum.UP, 'up'],
  [MonitorStateEnum.DOWN, 'down'],
  [MonitorStateEnum.STALE, 'stale'],
]);

/** Undefined when there was no state, or one that this version does not know. */
export function monitorStateFromProto(state: MonitorStateEnum): MonitorState | undefined {
  return STATE_OF.get(state);
}
