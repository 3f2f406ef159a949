import { type EventHandler, on } from '@tocsin/outbox';
import { ChannelBrokenSchema, ChannelHealedSchema } from '@tocsin/proto/notifier/v1/events';
import { recordChannelHealth } from '../app/monitors/link-channels.ts';

/** Handlers that record which channels are broken, so that a monitor can show that all of its channels are broken. */
export const onChannelHealth: readonly EventHandler[] = [
  on(ChannelBrokenSchema, async ({ channelId }, { organizationId }, tx) => {
    await recordChannelHealth(tx, { organizationId, channelId, broken: true });
  }),
  on(ChannelHealedSchema, async ({ channelId }, { organizationId }, tx) => {
    await recordChannelHealth(tx, { organizationId, channelId, broken: false });
  }),
];
