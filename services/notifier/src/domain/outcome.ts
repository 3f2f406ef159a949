/** Outcome of one delivery attempt. Errors are human-readable and contain no secrets. */
export type Outcome =
  /** The receiver accepted the message. */
  | { readonly kind: 'delivered'; readonly httpStatus: number | undefined; readonly excerpt?: string | undefined }
  /** The attempt failed, and a later one may succeed. */
  | {
      readonly kind: 'failed';
      readonly error: string;
      readonly httpStatus: number | undefined;
      /** Beginning of the response's body, without secrets. */
      readonly excerpt?: string | undefined;
      /** Time to wait before the next attempt, as requested by the receiver, in milliseconds. */
      readonly retryAfterMs?: number | undefined;
      /** Hashed addresses of the recipients that got the message. The next attempt skips these recipients. */
      readonly reached?: readonly string[];
      /** Set if the receiver did not respond in time. */
      readonly timedOut?: true;
      /** Set if the installation itself caused the failure. Such a failure does not count against the receiver. */
      readonly isOurs?: true;
      /** Set if the connection failed after the message was sent, so the receiver may have accepted it. */
      readonly mayBeAccepted?: true;
    }
  /** The receiver refuses every message that is sent with this configuration, so the channel is broken. */
  | {
      readonly kind: 'refused';
      readonly error: string;
      readonly httpStatus: number | undefined;
      readonly excerpt?: string | undefined;
    }
  /** This installation may not connect to the destination, and a retry would not change that. */
  | { readonly kind: 'blocked'; readonly error: string }
  /**
   * This message can't be sent as the installation or the channel is configured. A retry would not change that, and the
   * recipient's other messages are not affected.
   */
  | { readonly kind: 'unable'; readonly error: string };

export type OutcomeKind = Outcome['kind'];
export type FailedOutcome = Exclude<Outcome, { kind: 'delivered' }>;

/** Returns the outcome of an attempt that could not be started. */
export function notSent(error: unknown): Outcome & { kind: 'failed' } {
  return { kind: 'failed', error: error instanceof Error ? error.message : String(error), httpStatus: undefined };
}
