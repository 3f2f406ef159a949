import { outboxMigrations } from '@tocsin/outbox';
import { channelsAndDeliveries } from './001-channels-and-deliveries.ts';
import { subscriptions } from './002-subscriptions.ts';
import { mail } from './003-mail.ts';

/** In the order in which they run. */
export const migrations = [...outboxMigrations, channelsAndDeliveries, subscriptions, mail];
