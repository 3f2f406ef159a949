import { type Context, context, createContextKey } from '@opentelemetry/api';

/** Header that carries a request's id through every hop. */
export const REQUEST_ID_HEADER = 'x-request-id';

const requestIdKey = createContextKey('tocsin request id');

/** Returns a context in which log lines and outgoing calls contain the request id. */
export function withRequestId(parent: Context, requestId: string): Context {
  return parent.setValue(requestIdKey, requestId);
}

/** Returns the id of the current request; undefined outside of a request. */
export function currentRequestId(): string | undefined {
  const value = context.active().getValue(requestIdKey);
  return typeof value === 'string' ? value : undefined;
}

/**
 * Returns whether an id from a client is accepted. It must be visible ASCII of limited length, so that it can't forge
 * log lines.
 */
export function isSaneRequestId(text: string): boolean {
  return /^[\w.:/+=@-]{1,128}$/.test(text);
}
