import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type DeliveryStatus, deliveryStatuses } from '@tocsin/enums';
import type { DeliverySchema, DeliveryStatus as DeliveryStatusValue } from '@tocsin/proto/notifier/v1/delivery';
import type { Delivery } from '../domain/delivery.ts';

export function deliveryToProto(delivery: Delivery): MessageInitShape<typeof DeliverySchema> {
  const { id, event, resourceId, status, error, attempts, nextAttemptAt, createdAt, late, requestBody } = delivery;
  return {
    id,
    event,
    resourceId,
    status: deliveryStatuses.toValue(status),
    ...(error !== undefined && { error }),
    attempts: attempts.map(({ at, httpStatus, error: problem, durationMs, response }) => ({
      at: timestampFromDate(at),
      ...(httpStatus !== undefined && { statusCode: httpStatus }),
      ...(problem !== undefined && { error: problem }),
      durationMs,
      ...(response !== undefined && { response }),
    })),
    ...(nextAttemptAt && { nextAttemptAt: timestampFromDate(nextAttemptAt) }),
    createdAt: timestampFromDate(createdAt),
    late,
    ...(requestBody !== undefined && { requestBody }),
  };
}

/** Returns the status in a filter; undefined if there is no filter. */
export function statusOf(value: DeliveryStatusValue | undefined): DeliveryStatus | undefined {
  return value === undefined ? undefined : deliveryStatuses.findName(value);
}
