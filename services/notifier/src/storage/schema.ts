import { defineEntity, type InferEntity, p } from '@mikro-orm/postgresql';

/**
 * Entity of channels. Alerts, messages and deliveries have no entities, because SQL statements write and claim many of
 * these rows at once.
 */
export const ChannelEntity = defineEntity({
  name: 'Channel',
  tableName: 'channel',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    name: p.text(),
    type: p.text(),
    sealedConfig: p.text().lazy(),
    enabled: p.boolean(),
    defaultForNewMonitors: p.boolean(),
    brokenAt: p.datetime().nullable(),
    brokenReason: p.text().nullable(),
    failedAlerts: p.integer(),
    failingSince: p.datetime().nullable(),
    deletedAt: p.datetime().nullable(),
    fallbackChannelId: p.uuid().nullable(),
    reminderMinutes: p.integer().nullable(),
    quietFrom: p.text().nullable(),
    quietTo: p.text().nullable(),
    quietTimeZone: p.text().nullable(),
    maxMessagesPerHour: p.integer().nullable(),
    probes: p.integer(),
    probeAt: p.datetime().nullable(),
    revision: p.integer(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export type ChannelRow = InferEntity<typeof ChannelEntity>;

/** Entity of webhook subscriptions. */
export const SubscriptionEntity = defineEntity({
  name: 'Subscription',
  tableName: 'subscription',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    url: p.text(),
    events: p.array(),
    sealedSecret: p.text().lazy(),
    enabled: p.boolean(),
    disabledAt: p.datetime().nullable(),
    disabledReason: p.text().nullable(),
    previousSealedSecret: p.text().lazy().nullable(),
    previousSecretUntil: p.datetime().nullable(),
    revision: p.integer(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

export type SubscriptionRow = InferEntity<typeof SubscriptionEntity>;

export const entities = [ChannelEntity, SubscriptionEntity];
