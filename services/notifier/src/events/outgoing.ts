import { type OutgoingEvent, outgoingEvent } from '@tocsin/outbox';
import {
  ChannelBrokenSchema,
  ChannelCreatedSchema,
  ChannelDeletedSchema,
  ChannelHealedSchema,
  SubscriptionDisabledSchema,
} from '@tocsin/proto/notifier/v1/events';
import type { Channel } from '../domain/channel.ts';
import type { Subscription } from '../domain/subscription.ts';

type ChannelRef = Pick<Channel, 'id' | 'organizationId'>;

function about({ id, organizationId }: { id: string; organizationId: string }) {
  return { organizationId, aggregateId: id };
}

export function channelCreated(channel: ChannelRef): OutgoingEvent {
  return outgoingEvent(ChannelCreatedSchema, { channelId: channel.id }, about(channel));
}

export function channelDeleted(channel: ChannelRef): OutgoingEvent {
  return outgoingEvent(ChannelDeletedSchema, { channelId: channel.id }, about(channel));
}

export function channelBroken(channel: Channel, reason: string): OutgoingEvent {
  return outgoingEvent(ChannelBrokenSchema, { channelId: channel.id, name: channel.name, reason }, about(channel));
}

export function channelHealed(channel: ChannelRef): OutgoingEvent {
  return outgoingEvent(ChannelHealedSchema, { channelId: channel.id }, about(channel));
}

export function subscriptionDisabled(subscription: Subscription, reason: string): OutgoingEvent {
  return outgoingEvent(SubscriptionDisabledSchema, { subscriptionId: subscription.id, reason }, about(subscription));
}
