import { toSeconds, toSecondsOrNull } from '@tocsin/api-json';
import { deliveryStatuses } from '@tocsin/enums';
import type { Delivery } from '@tocsin/proto/notifier/v1/delivery';
import { type Static, Type } from 'typebox';
import { Id, nullable, oneOf, pageQuery, shortText, Timestamp } from './common.ts';

/**
 * Timeout in milliseconds of a call that makes a delivery attempt. An attempt takes at most ten seconds; the rest is
 * for the transport.
 */
export const ATTEMPT_TIMEOUT_MS = 20_000;

/** Query for a list of deliveries. `limit` has a default, because there may be many deliveries. */
export const DeliveryQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      default: 200,
      description: 'At most this many; a page has at most 200',
    }),
  ),
  cursor: pageQuery.cursor,
  status: Type.Optional(oneOf(deliveryStatuses.names)),
});

/** Maps the query to its protobuf form. */
export function deliveryFilter({ limit, cursor, status }: Static<typeof DeliveryQuery>) {
  return { limit, cursor, status: deliveryStatuses.toValue(status) };
}

export const DeliverySchema = Type.Object({
  id: Type.String({ ...Id, description: 'UUID, the same for every attempt; receivers see it as `webhook-id`' }),
  event: Type.String({ maxLength: 64, description: 'Kind of the event', examples: ['monitor.state_changed'] }),
  resource_id: Type.String({ ...Id, description: 'The monitor or disruption; for a test, the receiver itself' }),
  status: oneOf(deliveryStatuses.names, {
    description:
      '`failed`: tried as often as it may be. `dropped`: not tried any further, because the receiver was disabled or too much waited. `held`: the channel is broken; sent late if it is healthy again within 24 hours. `grouped`: a later message (`monitors_changed`) names it together with others; `error` says why it waits',
  }),
  error: nullable(shortText({ description: 'Why it was not sent, for a person' })),
  attempts: Type.Array(
    Type.Object({
      at: Timestamp,
      status_code: nullable(Type.Integer({ description: 'Status of the response' })),
      error: nullable(shortText({ description: 'What went wrong, for a person' })),
      duration_ms: Type.Integer({ minimum: 0 }),
      response: nullable(
        shortText({ description: 'Beginning of the body of the response, without secrets; null for alert channels' }),
      ),
    }),
    { maxItems: 50, description: 'Oldest first; only the newest 50 are kept' },
  ),
  next_attempt_at: nullable({ ...Timestamp, description: 'At the earliest; only while it is pending' }),
  request_body: nullable(
    Type.String({
      maxLength: 10_000,
      description:
        'What is posted, cut to 10,000 characters; null for alert channels, and for events of disruptions without `incidents:read`',
    }),
  ),
  late: Type.Boolean({ description: 'It could not be delivered at its time and became due again' }),
  inserted_at: Timestamp,
});

export function toDeliveryJson(delivery: Delivery): Static<typeof DeliverySchema> {
  const { id, event, resourceId, status, error, attempts, nextAttemptAt, createdAt, late, requestBody } = delivery;
  return {
    id,
    event,
    resource_id: resourceId,
    status: deliveryStatuses.toName(status),
    error: error ?? null,
    attempts: attempts.map(({ at, statusCode, error: problem, durationMs, response }) => ({
      at: toSeconds(at),
      status_code: statusCode ?? null,
      error: problem ?? null,
      duration_ms: durationMs,
      response: response ?? null,
    })),
    next_attempt_at: toSecondsOrNull(nextAttemptAt),
    request_body: requestBody ?? null,
    late,
    inserted_at: toSeconds(createdAt),
  };
}
