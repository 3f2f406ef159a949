import { type Context, context, createContextKey } from '@opentelemetry/api';

/** Header that carries a request's id through every hop. */
export const REQUEST_ID_HEADER = 'x-request-id';

const requestIdKey = createContextKey('tocsin request id');

/** A context in which log lines and outgoing calls carry the id. */
export function withRequestId(parent: Context, requestId: string): Context {
  return parent.setValue(requestIdKey, requestId);
}

/** The id of the request that is being served, if any. */
export function currentRequestId(): string | undefined {
  const value = context.active().getValue(requestIdKey);
  return typeof value === 'string' ? value : undefined;
}

/**
 * Returns whether an id from outside may be used: visible ASCII of a sane length, so that logs can't be forged with it.
 */
export function isSaneRequestId(text: string): boolean {
  return /^[\w.:/+=@-]{1,128}$/.test(text);
}
