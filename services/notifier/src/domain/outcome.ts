/** How one attempt to deliver ended. Errors are for a person and hold no secret. */
export type Outcome =
  /** The receiver took it. */
  | { readonly kind: 'delivered'; readonly httpStatus: number | undefined; readonly excerpt?: string | undefined }
  /** It may work another time. */
  | {
      readonly kind: 'failed';
      readonly error: string;
      readonly httpStatus: number | undefined;
      /** Beginning of the response's body, without secrets. */
      readonly excerpt?: string | undefined;
      /** What the receiver asked for. */
      readonly retryAfterMs?: number | undefined;
      /** Marks of those of several recipients who have it by now: the next attempt leaves them out. */
      readonly reached?: readonly string[];
      /** The receiver did not respond in time. */
      readonly timedOut?: true;
      /** The installation itself is at fault: it says nothing about the receiver. */
      readonly isOurs?: true;
    }
  /** The receiver will never take anything that is sent like this: the channel is broken. */
  | {
      readonly kind: 'refused';
      readonly error: string;
      readonly httpStatus: number | undefined;
      readonly excerpt?: string | undefined;
    }
  /** Nothing may be sent there from here, now or later. */
  | { readonly kind: 'blocked'; readonly error: string }
  /** This installation has nothing to send it with: only its operator can help. */
  | { readonly kind: 'unable'; readonly error: string };

export type OutcomeKind = Outcome['kind'];

/** An attempt that could not even be made. */
export function notSent(error: unknown): Outcome & { kind: 'failed' } {
  return { kind: 'failed', error: error instanceof Error ? error.message : String(error), httpStatus: undefined };
}
