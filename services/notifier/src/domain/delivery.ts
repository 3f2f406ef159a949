import type { DeliveryStatus } from '@tocsin/enums';

/** A delivery as the API shows it, including tests and redeliveries that people requested. */
export interface Delivery {
  /** Identical for all attempts, and visible to the receiver. */
  readonly id: string;
  /** Kind of event, as the API names it. */
  readonly event: string;
  /** Id of the monitor or disruption; for a test, of the channel or subscription. */
  readonly resourceId: string;
  readonly status: DeliveryStatus;
  /** Why it was not sent, as text for people. */
  readonly error: string | undefined;
  /** Attempts, oldest first. */
  readonly attempts: readonly Attempt[];
  /** Time of the next attempt; only while the delivery is pending. */
  readonly nextAttemptAt: Date | undefined;
  readonly createdAt: Date;
  /** Whether it became due again after it was held or given up. */
  readonly late: boolean;
  /** Body that is posted to a subscription; may be cut. */
  readonly requestBody: string | undefined;
}

/** A recorded attempt. */
export interface Attempt {
  readonly at: Date;
  /** Status of the receiver's response, if there was one. */
  readonly httpStatus: number | undefined;
  /** Error as text for people. */
  readonly error: string | undefined;
  readonly durationMs: number;
  /** Beginning of the response's body, without secrets. For subscriptions only. */
  readonly response?: string | undefined;
}
