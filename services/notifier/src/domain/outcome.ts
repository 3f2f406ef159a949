/** Outcome of one attempt to deliver. Errors are text for people and contain no secrets. */
export type Outcome =
  /** The receiver accepted it. */
  | { readonly kind: 'delivered'; readonly httpStatus: number | undefined; readonly excerpt?: string | undefined }
  /** It failed, and a later attempt may succeed. */
  | {
      readonly kind: 'failed';
      readonly error: string;
      readonly httpStatus: number | undefined;
      /** Beginning of the response's body, without secrets. */
      readonly excerpt?: string | undefined;
      /** Milliseconds that the receiver asked to wait. */
      readonly retryAfterMs?: number | undefined;
      /** Marks of the recipients reached so far, which the next attempt skips. */
      readonly reached?: readonly string[];
      /** Set if the receiver did not respond in time. */
      readonly timedOut?: true;
      /** Set if the installation itself caused the failure, which says nothing about the receiver. */
      readonly isOurs?: true;
    }
  /** The receiver refuses everything that is sent with this configuration: the channel is broken. */
  | {
      readonly kind: 'refused';
      readonly error: string;
      readonly httpStatus: number | undefined;
      readonly excerpt?: string | undefined;
    }
  /** The destination is forbidden for this installation, now and later. */
  | { readonly kind: 'blocked'; readonly error: string }
  /** This installation lacks the means to send it, which only its operator can change. */
  | { readonly kind: 'unable'; readonly error: string };

export type OutcomeKind = Outcome['kind'];
export type FailedOutcome = Exclude<Outcome, { kind: 'delivered' }>;

/** Returns the outcome of an attempt that could not be started. */
export function notSent(error: unknown): Outcome & { kind: 'failed' } {
  return { kind: 'failed', error: error instanceof Error ? error.message : String(error), httpStatus: undefined };
}
