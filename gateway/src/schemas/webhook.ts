import { toSeconds, toSecondsOrNull } from '@tocsin/api-json';
import { EVENT_KINDS } from '@tocsin/enums';
import type { Subscription } from '@tocsin/proto/notifier/v1/subscription';
import { type Static, Type } from 'typebox';
import { Id, MAX_URL, nullable, oneOf, pageQuery, shortText, Timestamp } from './common.ts';

/** Maximum number of event kinds in a request, including duplicates. */
const MAX_EVENTS = 50;

const Url = Type.String({
  maxLength: MAX_URL,
  description: 'https, or http for an address that the operator opened',
  examples: ['https://hooks.example.com/tocsin'],
});

const Events = Type.Array(oneOf(EVENT_KINDS), {
  minItems: 1,
  maxItems: MAX_EVENTS,
  description: 'Kinds of events; one that is named twice counts once. Those of disruptions need `incidents:read`',
  examples: [['monitor.state_changed']],
});

const fields = {
  id: Id,
  url: Url,
  events: Type.Array(Type.String({ enum: EVENT_KINDS }), { maxItems: MAX_EVENTS }),
  enabled: Type.Boolean(),
  disabled_at: nullable({ ...Timestamp, description: 'When the system disabled it' }),
  disabled_reason: nullable(shortText({ description: 'Why the system disabled it, for a person' })),
  inserted_at: Timestamp,
  updated_at: Timestamp,
};

export const WebhookSchema = Type.Object(fields);

const secret = Type.String({
  maxLength: 255,
  description: 'Signs deliveries (Standard Webhooks). It cannot be read again',
  examples: ['whsec_…'],
});

/**
 * Response to the creation of a subscription. Only this response and the response of rotate-secret contain the secret.
 */
export const WebhookCreated = Type.Object({ ...fields, secret });

export const WebhookSecret = Type.Object({ secret });

export const WebhookCreate = Type.Object({
  url: Url,
  events: Events,
  enabled: Type.Optional(Type.Boolean({ default: true })),
});

export const WebhookPatch = Type.Object({
  url: Type.Optional(Url),
  events: Type.Optional(Events),
  enabled: Type.Optional(Type.Boolean({ description: 'False drops what still waits to be delivered' })),
});

export const WebhookQuery = Type.Object(pageQuery);

export const WebhookDeliveryParams = Type.Object({
  id: Type.String({ maxLength: 100, description: 'UUID' }),
  delivery_id: Type.String({ maxLength: 100, description: 'UUID' }),
});

export function toWebhookJson(subscription: Subscription): Static<typeof WebhookSchema> {
  return {
    id: subscription.id,
    url: subscription.url,
    events: subscription.events,
    enabled: subscription.enabled,
    disabled_at: toSecondsOrNull(subscription.disabledAt),
    disabled_reason: subscription.disabledReason ?? null,
    inserted_at: toSeconds(subscription.createdAt),
    updated_at: toSeconds(subscription.updatedAt),
  };
}
