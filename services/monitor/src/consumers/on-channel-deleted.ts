import { type EventHandler, on } from '@tocsin/outbox';
import { ChannelDeletedSchema } from '@tocsin/proto/notifier/v1/events';
import { unlinkChannel } from '../app/monitors/link-channels.ts';

export const onChannelDeleted: EventHandler = on(
  ChannelDeletedSchema,
  async ({ channelId }, { organizationId, occurredAt }, tx) => {
    await unlinkChannel(tx, { organizationId, channelId, now: occurredAt });
  },
);
