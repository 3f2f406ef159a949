import { type EventHandler, on } from '@tocsin/outbox';
import { ChannelBrokenSchema, ChannelHealedSchema } from '@tocsin/proto/notifier/v1/events';
import { recordChannelHealth } from '../app/monitors/link-channels.ts';

/** Monitors say when every channel that they are linked to is broken. */
export const onChannelHealth: readonly EventHandler[] = [
  on(ChannelBrokenSchema, async ({ channelId }, { organizationId }, tx) => {
    await recordChannelHealth(tx, { organizationId, channelId, broken: true });
  }),
  on(ChannelHealedSchema, async ({ channelId }, { organizationId }, tx) => {
    await recordChannelHealth(tx, { organizationId, channelId, broken: false });
  }),
];
