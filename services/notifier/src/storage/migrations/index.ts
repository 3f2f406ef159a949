import { outboxMigrations } from '@tocsin/outbox';
import { channelsAndDeliveries } from './001-channels-and-deliveries.ts';

/** In the order in which they run. */
export const migrations = [...outboxMigrations, channelsAndDeliveries];
