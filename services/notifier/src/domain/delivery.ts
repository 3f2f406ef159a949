import type { DeliveryStatus } from '@tocsin/enums';

/** Maximum number of attempts of a delivery that are kept and returned. */
export const MAX_KEPT_ATTEMPTS = 50;

/** A delivery in the API's format. It may be a test or a redelivery that a person requested. */
export interface Delivery {
  /** Id that is sent to the receiver. It is the same for all attempts. */
  readonly id: string;
  /** Kind of event in the API. */
  readonly event: string;
  /** Id of the monitor or disruption. For a test, the id of the channel or subscription. */
  readonly resourceId: string;
  readonly status: DeliveryStatus;
  /** Human-readable reason why the delivery was not sent. */
  readonly error: string | undefined;
  /** The newest attempts, at most `MAX_KEPT_ATTEMPTS`, oldest first. */
  readonly attempts: readonly Attempt[];
  /** Time of the next attempt. Set only while the delivery is pending. */
  readonly nextAttemptAt: Date | undefined;
  readonly createdAt: Date;
  /** Whether the delivery was held while its channel was broken, or became due again through a replay. */
  readonly late: boolean;
  /** Body that is posted to a subscription. May be truncated. */
  readonly requestBody: string | undefined;
}

/** A recorded attempt. */
export interface Attempt {
  readonly at: Date;
  /** Status of the receiver's response, if there was one. */
  readonly httpStatus: number | undefined;
  /** Human-readable error. */
  readonly error: string | undefined;
  readonly durationMs: number;
  /** Beginning of the response's body, without secrets. Only for subscriptions. */
  readonly response?: string | undefined;
}
