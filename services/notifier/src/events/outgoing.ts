import { type OutgoingEvent, outgoingEvent } from '@tocsin/outbox';
import { ChannelBrokenSchema, ChannelCreatedSchema, ChannelDeletedSchema } from '@tocsin/proto/notifier/v1/events';
import type { Channel } from '../domain/channel.ts';

type ChannelRef = Pick<Channel, 'id' | 'organizationId'>;

function about({ id, organizationId }: ChannelRef) {
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
