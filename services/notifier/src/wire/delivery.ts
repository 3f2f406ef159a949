import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type DeliverySchema, DeliveryStatus as StatusEnum } from '@tocsin/proto/notifier/v1/delivery';
import type { Delivery, DeliveryStatus } from '../domain/delivery.ts';

const STATUS: Record<DeliveryStatus, StatusEnum> = {
  pending: StatusEnum.PENDING,
  sent: StatusEnum.SENT,
  failed: StatusEnum.FAILED,
  dropped: StatusEnum.DROPPED,
};

export function deliveryToProto(delivery: Delivery): MessageInitShape<typeof DeliverySchema> {
  const { id, event, resourceId, status, error, attempts, nextAttemptAt, createdAt } = delivery;
  return {
    id,
    event,
    resourceId,
    status: STATUS[status],
    ...(error !== undefined && { error }),
    attempts: attempts.map(({ at, httpStatus, error: problem, durationMs }) => ({
      at: timestampFromDate(at),
      ...(httpStatus !== undefined && { statusCode: httpStatus }),
      ...(problem !== undefined && { error: problem }),
      durationMs,
    })),
    ...(nextAttemptAt && { nextAttemptAt: timestampFromDate(nextAttemptAt) }),
    createdAt: timestampFromDate(createdAt),
  };
}
