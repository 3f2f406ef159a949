import type { DeliveryStatus } from '@tocsin/enums';

/** How deliveries go that people look at, and those that they ask for by hand. */
export interface Delivery {
  /** The same for every attempt; the receiver sees it. */
  readonly id: string;
  /** The kind of event, as the API spells it. */
  readonly event: string;
  /** The subject: a monitor or a disruption; for a test, the receiver itself. */
  readonly resourceId: string;
  readonly status: DeliveryStatus;
  /** Why it was not sent, for a person. */
  readonly error: string | undefined;
  /** Oldest first. */
  readonly attempts: readonly Attempt[];
  /** Only while it is pending. */
  readonly nextAttemptAt: Date | undefined;
  readonly createdAt: Date;
  /** It became due again after it was held or given up. */
  readonly late: boolean;
  /** What is posted to a subscription, perhaps cut. */
  readonly requestBody: string | undefined;
}

/** One attempt, as it is remembered. */
export interface Attempt {
  readonly at: Date;
  /** The receiver's response, if there was one. */
  readonly httpStatus: number | undefined;
  /** What went wrong, for a person. */
  readonly error: string | undefined;
  readonly durationMs: number;
  /** Beginning of the response's body, without secrets; for subscriptions only. */
  readonly response?: string | undefined;
}
