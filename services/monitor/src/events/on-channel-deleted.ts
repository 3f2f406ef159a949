import { type EventHandler, on } from '@tocsin/outbox';
import { ChannelDeletedSchema } from '@tocsin/proto/notifier/v1/events';
import { unlinkChannel } from '../storage/monitor-store.ts';

/** A channel is gone: no monitor of its organization names it any more. */
export const onChannelDeleted: EventHandler = on(
  ChannelDeletedSchema,
  async ({ channelId }, { organizationId }, tx) => {
    await unlinkChannel(tx, organizationId, channelId);
  },
);
