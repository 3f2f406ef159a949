import type { FetchResponse } from '@tocsin/netguard';
import type { Outcome } from '../domain/outcome.ts';

/**
 * Advice about a receiver's final responses, shown in `broken_reason`. Each text says what happened and then what to
 * do.
 */
export interface Refusals {
  /** Name of the receiver in error messages. */
  readonly name: string;
  /** Advice about a final status that `byCode` does not contain. */
  readonly other: string;
  /** Advice by status, or by the error code in the body. */
  readonly byCode?: Readonly<Record<string, string>>;
}

export const NEW_WEBHOOK = 'Create a new one and PATCH config.webhook_url';
export const DELETED_WEBHOOK = `the webhook was deleted. ${NEW_WEBHOOK}`;

/** Receiver of HTTP requests, with a function that interprets its responses. */
export interface Receiver {
  /** Name in error messages. */
  readonly name: string;
  /** Returns the advice that the error shows for a status; undefined if there is none. */
  readonly adviceOn?: (status: number, isFinal: boolean) => string | undefined;
  /** Returns the outcome of a response of any status; undefined if the outcome depends only on the status. */
  readonly interpret?: (response: FetchResponse) => Outcome | undefined;
}

/** Returns the receiver whose errors contain the advice in `refusals`. */
export function receiverOf(refusals: Refusals, interpret?: Receiver['interpret']): Receiver {
  const { name, other } = refusals;
  return {
    name,
    adviceOn: (status, isFinal) => adviceOn(refusals, String(status)) ?? (isFinal ? other : undefined),
    ...(interpret && { interpret }),
  };
}

/** Returns the advice about a status or error code; undefined if `byCode` does not contain it. */
function adviceOn({ byCode = {} }: Refusals, code: string): string | undefined {
  return Object.hasOwn(byCode, code) ? byCode[code] : undefined;
}

/**
 * Returns the refusal for an error code in the body of a response; undefined if `byCode` does not contain the code. If
 * `shown` is given, the error contains it instead of the code.
 */
export function refusalBy(
  refusals: Refusals,
  code: unknown,
  { httpStatus, shown = String(code) }: { httpStatus: number; shown?: string },
): Outcome | undefined {
  const advice = adviceOn(refusals, String(code));
  if (advice === undefined) return undefined;
  return { kind: 'refused', error: `${refusals.name} returned ${shown}: ${advice}`, httpStatus };
}
